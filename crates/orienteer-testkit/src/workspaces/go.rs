//! A Go module.

/// A module `example.com/shapes` of two packages, for Go 1.19 and later, no dependencies.
///
/// Names (each has its declaration at `path` line:column, both from 1, columns in characters):
/// - `Shape` geometry/geometry.go 7:6, an interface, implemented by `Circle` and `Square`
/// - `Area` geometry/geometry.go 9:2, its method
/// - `Circle` geometry/geometry.go 13:6
/// - `Square` geometry/geometry.go 21:6
/// - `TotalArea` geometry/geometry.go 29:6
/// - `TotalArea` main.go 11:20, called by `main`
/// - `TotalArea` report.go 8:18, called by `Report`
/// - `TotalArea` geometry/geometry_test.go 6:12, called by `TestTotalArea`
/// - `TotalArea` main.go 16:63, called by `emoji`, with two characters outside the BMP before it on its line:
///   from 0 it is 62 in characters, 64 in UTF-16, 70 in UTF-8
/// - `Report` report.go 7:6
/// - `Report` main.go 12:14, called by `main`
/// - `Größe` geometry/unicode.go 4:6
///
/// The files are free of errors. [`GO_BROKEN`] is a text for report.go with one.
pub const GO: &str = r#"//- /go.mod
module example.com/shapes

go 1.18
//- /main.go
package main

import (
	"fmt"

	"example.com/shapes/geometry"
)

func main() {
	shapes := []geometry.Shape{geometry.Circle{Radius: 1}, geometry.Square{Side: 2}}
	total := geometry.TotalArea(shapes)
	fmt.Println(Report(shapes), total, emoji())
}

func emoji() string {
	party := "🎉"; thumb := "👍"; total := geometry.Größe(geometry.TotalArea(nil))
	return fmt.Sprint(party, thumb, total)
}
//- /report.go
package main

import "fmt"
import "example.com/shapes/geometry"

// Report says the sum of all areas.
func Report(shapes []geometry.Shape) string {
	sum := geometry.TotalArea(shapes)
	return fmt.Sprintf("sum %.1f", sum)
}
//- /geometry/geometry.go
// Package geometry has shapes and their areas.
package geometry

import "math"

// Shape is something with an area.
type Shape interface {
	// Area is in square metres.
	Area() float64
}

// Circle is given by its radius.
type Circle struct {
	Radius float64
}

// Area of the circle.
func (circle Circle) Area() float64 { return math.Pi * circle.Radius * circle.Radius }

// Square is given by its side.
type Square struct {
	Side float64
}

// Area of the square.
func (square Square) Area() float64 { return square.Side * square.Side }

// TotalArea is the sum of all areas.
func TotalArea(shapes []Shape) float64 {
	sum := 0.0
	for _, shape := range shapes {
		sum += shape.Area()
	}
	return sum
}
//- /geometry/unicode.go
package geometry

// Größe doubles a length.
func Größe(länge float64) float64 {
	return länge * 2
}
//- /geometry/geometry_test.go
package geometry

import "testing"

func TestTotalArea(t *testing.T) {
	if sum := TotalArea([]Shape{Square{Side: 2}}); sum != 4 {
		t.Fatal(sum)
	}
}
"#;

/// A text for report.go with one error: a number returned as a string, at 9:9.
pub const GO_BROKEN: &str = r#"package main

import "fmt"
import "example.com/shapes/geometry"

// Report says the sum of all areas.
func Report(shapes []geometry.Shape) string {
	sum := geometry.TotalArea(shapes)
	return sum + float64(len(fmt.Sprint(sum)))
}
"#;
