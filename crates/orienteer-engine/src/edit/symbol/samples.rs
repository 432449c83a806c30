//! Files as people write them, for tests.

pub(super) const RUST: &str = r##"//! Shapes.

use std::fmt;

/// How many corners a square has.
pub const CORNERS: usize = 4;
const LIMIT: f64 = 1.5;

/// A shape.
#[derive(Debug, Clone)]
pub struct Square {
    /// In metres.
    pub side: f64, // never negative
    name: String,
}

pub enum Kind {
    Small,
    /// Larger than most.
    Large { by: f64 },
    Other,
}

impl Square {
    /// A square.
    #[must_use]
    pub fn new(side: f64) -> Self {
        Self { side, name: String::new() }
    }

    pub fn area(&self) -> f64 {
        self.side * self.side
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

fn helper(text: &str) -> String {
    let raw = r#"
  kept
as it is
"#;
    format!("{text}{raw}")
}

macro_rules! twice {
    ($e:expr) => {
        $e + $e
    };
}

mod inner {
    pub(super) fn deep() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_a_product() {
        assert_eq!(Square::new(2.0).area(), 4.0);
    }
}
"##;

pub(super) const TYPESCRIPT: &str = r##"import { Injectable } from "./framework";

export const LIMIT = 10;

/** What is kept. */
export interface Entry {
    id: string;
    /** Seconds. */
    age?: number;
}

export type Key = string | number;

export enum Level {
    Low,
    High = 3,
}

/**
 * Keeps entries.
 */
@Injectable()
export class Store<T extends Entry> {
    private entries = new Map<Key, T>();

    constructor(private readonly limit: number = LIMIT) {}

    /** Adds one. */
    add(key: Key, entry: T): void {
        if (this.entries.size >= this.limit) {
            throw new Error(`full:
 ${this.limit}`);
        }
        this.entries.set(key, entry);
    }

    get size(): number {
        return this.entries.size;
    }
}

export const double = (value: number): number => value * 2;

export const describe = (entry: Entry) => {
    return `${entry.id}`;
};

export async function load(path: string): Promise<Entry[]> {
    const text = await read(path);
    return JSON.parse(text);
}

function read(path: string): Promise<string> {
    return Promise.resolve(path);
}
"##;

pub(super) const PYTHON: &str = r##"#!/usr/bin/env python3
"""Shapes."""

import math
from dataclasses import dataclass

LIMIT = 10
NAMES = ["a", "b"]


# The base of all shapes.
class Shape:
    """A shape."""

    corners = 0

    def area(self) -> float:
        """The area.

        In square metres.
        """
        raise NotImplementedError

    def describe(self):
        text = """
kept
  as it is
"""
        return text


@dataclass
class Circle(Shape):
    radius: float

    @property
    def diameter(self):
        # Twice the radius.
        return self.radius * 2

    @staticmethod
    def unit(): return Circle(1)

    async def later(self):
        await something()


def total(shapes):
    def add(left, right):
        return left + right

    result = 0
    for shape in shapes:
        result = add(result, shape.area())
    return result


def main():
    print(total([Circle(1)]))


if __name__ == "__main__":
    main()
"##;

pub(super) const GO: &str = "// Package geometry has shapes.
package geometry

import \"math\"

// Pi is close enough.
const Pi = 3.14

const (
\tSmall = iota
\tLarge // the other one
)

// Shape is one.
type Shape interface {
\tArea() float64
}

// Circle is round.
type Circle struct {
\tRadius float64
\tname   string
}

// Area of a circle.
func (c Circle) Area() float64 {
\treturn math.Pi * c.Radius * c.Radius
}

func (c *Circle) Grow(by float64) {
\tc.Radius += by
}

// Total adds areas.
func Total(shapes []Shape) float64 {
\tvar sum float64
\tfor _, shape := range shapes {
\t\tsum += shape.Area()
\t}
\treturn sum
}

func text() string {
\treturn `kept
 as it is`
}
";

pub(super) const C: &str = r##"/* Copyright somebody. */
#include <stdio.h>

#define LIMIT 10

/* A list. */
struct list {
    int value; /* what it holds */
    struct list *next;
};

typedef struct {
    int x;
    int y;
} point;

enum colour {
    RED,
    GREEN
};

static int count;

int length(const struct list *list);

/**
 * Counts.
 */
int length(const struct list *list)
{
    int n = 0;
    while (list) {
        n++;
        list = list->next;
    }
    return n;
}

static void show(const char *text)
{
    printf("%s\n", text);
}

int main(void)
{
    show("a");
    return 0;
}
"##;

pub(super) const JAVA: &str = r##"package shapes;

import java.util.List;

/**
 * A shape.
 */
public interface Shape {
    double area();
}

enum Size { SMALL, LARGE }

class Circle implements Shape {
    private static final double PI = 3.14;
    private final double radius;

    Circle(double radius) {
        this.radius = radius;
    }

    /** In square metres. */
    @Override
    public double area() {
        return PI * radius * radius;
    }

    @Deprecated
    @SuppressWarnings("unused")
    static double total(List<Shape> shapes) {
        double sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area();
        }
        return sum;
    }

    static class Inner {
        int value;
    }
}
"##;

/// Language, file and one small function in it.
pub(super) const ALL: &[(&str, &str)] =
    &[("rust", RUST), ("typescript", TYPESCRIPT), ("python", PYTHON), ("go", GO), ("c", C), ("java", JAVA)];
