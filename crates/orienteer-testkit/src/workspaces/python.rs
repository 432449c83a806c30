//! A Python package, and a project with a virtual environment.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A package `shapes` with tests, no dependencies.
///
/// Names (each has its declaration at `path` line:column, both from 1, columns in characters):
/// - `Shape` src/shapes/base.py 6:7, an abstract class, the base of `Circle` and `Square`
/// - `area` src/shapes/base.py 10:9, its abstract method
/// - `describe` src/shapes/base.py 13:9, its concrete method
/// - `Circle` src/shapes/round.py 8:7
/// - `Square` src/shapes/flat.py 4:7
/// - `UnitSquare` src/shapes/flat.py 14:7, a subclass of `Square`
/// - `total_area` src/shapes/total.py 8:5
/// - `total_area` src/shapes/report.py 8:20, called by `report`
/// - `total_area` tests/test_shapes.py 6:12, called by `test_total`
/// - `total_area` src/shapes/unicode_names.py 11:43, called by the module, with two characters outside the
///   BMP before it on its line: from 0 it is 42 in characters, 44 in UTF-16, 50 in UTF-8
/// - `report` src/shapes/report.py 7:5
/// - `report` tests/test_shapes.py 10:12, called by `test_report`
/// - `größe` src/shapes/unicode_names.py 7:5
///
/// The files are free of errors. [`PYTHON_BROKEN`] is a text for src/shapes/report.py with one.
pub const PYTHON: &str = r#"//- /pyproject.toml
[project]
name = "shapes"
version = "1.0.0"
requires-python = ">=3.9"

[tool.pyright]
extraPaths = ["src"]
//- /src/shapes/__init__.py
from shapes.base import Shape
from shapes.flat import Square, UnitSquare
from shapes.round import Circle
from shapes.total import total_area

__all__ = ["Circle", "Shape", "Square", "UnitSquare", "total_area"]
//- /src/shapes/base.py
"""What every shape can do."""

from abc import ABC, abstractmethod


class Shape(ABC):
    """Something with an area."""

    @abstractmethod
    def area(self) -> float:
        """The area in square metres."""

    def describe(self) -> str:
        return f"area {self.area():.1f}"
//- /src/shapes/round.py
"""Round shapes."""

import math

from shapes.base import Shape


class Circle(Shape):
    def __init__(self, radius: float) -> None:
        self.radius = radius

    def area(self) -> float:
        return math.pi * self.radius**2
//- /src/shapes/flat.py
from shapes.base import Shape


class Square(Shape):
    """A square by its side."""

    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side * self.side


class UnitSquare(Square):
    def __init__(self) -> None:
        super().__init__(1.0)
//- /src/shapes/total.py
"""Sums."""

from typing import Iterable

from shapes.base import Shape


def total_area(shapes: Iterable[Shape]) -> float:
    """The sum of all areas."""
    return sum(shape.area() for shape in shapes)
//- /src/shapes/report.py
"""Text for people."""

from shapes.base import Shape
from shapes.total import total_area


def report(shapes: list[Shape]) -> str:
    total: float = total_area(shapes)
    lines = [shape.describe() for shape in shapes]
    return "\n".join([*lines, f"sum {total}"])
//- /src/shapes/unicode_names.py
"""Names and text outside ASCII."""

from shapes.flat import Square
from shapes.total import total_area


def größe(länge: float) -> float:
    return länge * 2


party = "🎉"; thumb = "👍"; doubled = größe(total_area([Square(2)]))
both = party + thumb
//- /tests/test_shapes.py
from shapes import Circle, Square, UnitSquare, total_area
from shapes.report import report


def test_total() -> None:
    assert total_area([Square(2), UnitSquare()]) == 5.0


def test_report() -> None:
    assert report([Circle(0)]).endswith("sum 0.0")
"#;

/// A text for src/shapes/report.py with one error: a `float` assigned to a `str`, at 8:18 (pyright names it
/// `reportAssignmentType`, ty `invalid-assignment`).
pub const PYTHON_BROKEN: &str = r#""""Text for people."""

from shapes.base import Shape
from shapes.total import total_area


def report(shapes: list[Shape]) -> str:
    total: str = total_area(shapes)
    lines = [shape.describe() for shape in shapes]
    return "\n".join([*lines, f"sum {total}"])
"#;

/// A project that needs a library of its virtual environment, which [`python_environment`] makes.
///
/// - `greet` app.py 3:11, from the library `friendly`: it resolves only when the environment is found
pub const PYTHON_VENV: &str = r#"//- /pyproject.toml
[project]
name = "visitor"
version = "1.0.0"
//- /app.py
from friendly import greet

message = greet("you")
"#;

/// Makes the virtual environment `name` in a root, with the library `friendly`, and returns the file of that
/// library: `greet` is declared in it at 1:5.
pub fn python_environment(root: &Path, name: &str) -> PathBuf {
    let folder = root.join(name);
    let python = crate::tools::tools().join("python/bin/python");
    let mut command = Command::new(&python);
    let made = command.args(["-I", "-m", "venv", "--without-pip"]).arg(&folder).output();
    let made = made.unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let versions = std::fs::read_dir(folder.join("lib")).expect("the lib folder of the environment");
    let version = versions.map(|entry| entry.expect("an entry").path()).next().expect("a version of Python");
    let library = version.join("site-packages").join("friendly");
    std::fs::create_dir_all(&library).expect("the library's folder");
    std::fs::write(library.join("py.typed"), "").expect("py.typed");
    let file = library.join("__init__.py");
    let text = "def greet(name: str) -> str:\n    \"\"\"Says hello.\"\"\"\n    return f\"hello {name}\"\n";
    std::fs::write(&file, text).expect("the library");
    file
}
