//! A Lua project.

/// A module and a script that uses it.
///
/// - `square` src/shapes.lua 6:17, a function
/// - `total` src/shapes.lua 12:17, another
/// - `square` src/shapes.lua 15:24, called
/// - `größe` src/report.lua 4:7, a local
/// - `square` src/report.lua 4:22, called
/// - `größe` src/report.lua 5:7, used
/// - `total` src/report.lua 5:21, called
/// - `square` src/report.lua 5:45, called
///
/// [`LUA_BROKEN`] is a text for src/report.lua with one error.
pub const LUA: &str = r#"//- /.emmyrc.json
{ "runtime": { "version": "Lua5.4" } }
//- /src/shapes.lua
local shapes = {}

---The area of a square.
---@param side number
---@return number
function shapes.square(side)
  return side * side
end

---@param sides number[]
---@return number
function shapes.total(sides)
  local sum = 0
  for _, side in ipairs(sides) do
    sum = sum + shapes.square(side)
  end
  return sum
end

return shapes
//- /src/report.lua
local shapes = require("src.shapes")

-- größe 📐 before the name
local größe = shapes.square(2)
print(größe, shapes.total({ 1, 2 }), shapes.square(3))
"#;

/// A text for src/report.lua without the end of a call: behind 3:22.
pub const LUA_BROKEN: &str = r#"local shapes = require("src.shapes")

print(shapes.square(2)
"#;
