//! C and C++ programs.

use std::path::Path;

/// A C++ program: a header, two sources, a test. Call [`compile_commands`] before its server is started.
///
/// Names (each has its declaration at `path` line:column, both from 1, columns in characters):
/// - `Shape` include/shape.hpp 8:8, an abstract struct, the base of `Circle` and `Square`
/// - `area` include/shape.hpp 11:20, its pure virtual method
/// - `Circle` include/shape.hpp 14:8
/// - `Square` include/shape.hpp 21:8
/// - `total_area` include/shape.hpp 29:8, declared
/// - `total_area` src/shape.cpp 10:8, defined
/// - `total_area` src/report.cpp 5:22, called by `report`
/// - `total_area` src/main.cpp 6:67, called by `main`, with two characters outside the BMP before it on its
///   line: from 0 it is 66 in characters, 68 in UTF-16, 72 in UTF-8
/// - `report` include/shape.hpp 33:13, declared
/// - `report` src/report.cpp 4:13, defined
/// - `report` src/main.cpp 7:23, called by `main`
///
/// The files are free of errors. [`CPP_BROKEN`] is a text for src/report.cpp with one.
pub const CPP: &str = r#"//- /include/shape.hpp
#pragma once

namespace geometry {

using Number = double;

/// Something with an area.
struct Shape {
    virtual ~Shape() {}
    /// The area in square metres.
    virtual Number area() const = 0;
};

struct Circle : Shape {
    explicit Circle(Number radius) : radius(radius) {}
    Number area() const override;
    Number radius;
};

/// A square by its side.
struct Square : Shape {
    explicit Square(Number side) : side(side) {}
    Number area() const override;
    Number side;
};

/// The sum of two areas.
/// Both must outlive the call.
Number total_area(const Shape &one, const Shape &two);

} // namespace geometry

const char *report(const geometry::Shape &shape);
//- /src/shape.cpp
#include "../include/shape.hpp"

namespace geometry {

Number Circle::area() const { return 3.14159 * radius * radius; }

Number Square::area() const { return side * side; }

/// Adds.
Number total_area(const Shape &one, const Shape &two) {
    return one.area() + two.area();
}

} // namespace geometry
//- /src/report.cpp
#include "../include/shape.hpp"

/// Says whether two of the same are large.
const char *report(const geometry::Shape &shape) {
    return geometry::total_area(shape, shape) > 10 ? "large" : "small";
}
//- /src/main.cpp
#include "../include/shape.hpp"

int main() {
    geometry::Circle circle(1);
    geometry::Square square(2);
    const char *party = "🎉", *thumb = "👍"; double sum = geometry::total_area(circle, square);
    return sum > 3 && report(circle) == party ? 0 : thumb[0];
}
"#;

/// A text for src/report.cpp with one error at 5:12: an unknown name.
pub const CPP_BROKEN: &str = r#"#include "../include/shape.hpp"

/// Says whether two of the same are large.
const char *report(const geometry::Shape &shape) {
    return missing_name;
}
"#;

/// A C program: a header, two sources. Call [`compile_commands`] before its server is started.
///
/// - `stack_push` include/stack.h 11:6, declared
/// - `stack_push` src/stack.c 4:6, defined
/// - `stack_push` src/main.c 7:5, called by `main`
/// - `stack_push` src/main.c 8:5, called by `main`
/// - `Stack` include/stack.h 8:3, a typedef of a struct
pub const C: &str = r#"//- /include/stack.h
#ifndef STACK_H
#define STACK_H

/** A stack of at most 16 numbers. */
typedef struct stack {
    int items[16];
    int size;
} Stack;

/** Puts a number on top. */
void stack_push(Stack *stack, int item);

/** Takes the number on top. */
int stack_pop(Stack *stack);

#endif
//- /src/stack.c
#include "../include/stack.h"

/* Full stacks ignore it. */
void stack_push(Stack *stack, int item) {
    if (stack->size < 16)
        stack->items[stack->size++] = item;
}

int stack_pop(Stack *stack) {
    return stack->size > 0 ? stack->items[--stack->size] : 0;
}
//- /src/main.c
#include "../include/stack.h"

int main(void) {
    Stack stack;
    stack.size = 0;

    stack_push(&stack, 1);
    stack_push(&stack, 2);
    return stack_pop(&stack);
}
"#;

/// Writes compile_commands.json for the sources in `src` of a root: clangd wants whole paths there.
pub fn compile_commands(root: &Path) {
    let mut entries = Vec::new();
    let mut sources: Vec<_> = std::fs::read_dir(root.join("src"))
        .expect("src")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    sources.sort();
    for source in sources {
        let compiler = match source.extension().and_then(|extension| extension.to_str()) {
            Some("c") => ["cc", "-std=c11"],
            Some("cpp") => ["c++", "-std=c++17"],
            _ => continue,
        };
        entries.push(serde_json::json!({
            "directory": root,
            "file": source,
            "arguments": [compiler[0], compiler[1], "-Wall", "-c", source],
        }));
    }
    let text = serde_json::to_string_pretty(&entries).expect("JSON");
    std::fs::write(root.join("compile_commands.json"), text).expect("compile_commands.json");
}
