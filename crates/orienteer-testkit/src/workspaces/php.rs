//! A PHP library.

/// A library with namespaces, no dependencies.
///
/// Names (each stands at `path` line:column, both from 1, columns in characters):
/// - `Shape` src/Shape.php 6:11, an interface, implemented by `Circle` and `Square`
/// - `area` src/Shape.php 9:21, its method
/// - `Circle` src/Circle.php 5:7
/// - `Square` src/Square.php 5:7
/// - `total_area` src/total.php 10:10, a function
/// - `total_area` src/report.php 9:14, called by `report`
/// - `total_area` tests/check.php 6:22, called, with an emoji before it on its line: from 0 it is 21 in
///   characters, 22 in UTF-16, 24 in UTF-8
///
/// The files are free of errors. [`PHP_BROKEN`] is a text for src/report.php with one.
pub const PHP: &str = r#"//- /composer.json
{
  "name": "example/shapes",
  "autoload": { "psr-4": { "Shapes\\": "src/" } }
}
//- /src/Shape.php
<?php

namespace Shapes;

/** Something with an area. */
interface Shape
{
    /** The area in square metres. */
    public function area(): float;
}
//- /src/Circle.php
<?php

namespace Shapes;

class Circle implements Shape
{
    public function __construct(private float $radius)
    {
    }

    public function area(): float
    {
        return M_PI * $this->radius ** 2;
    }
}
//- /src/Square.php
<?php

namespace Shapes;

class Square implements Shape
{
    public function __construct(private float $side)
    {
    }

    public function area(): float
    {
        return $this->side * $this->side;
    }
}
//- /src/total.php
<?php

namespace Shapes;

/**
 * The sum of all areas.
 *
 * @param Shape[] $shapes
 */
function total_area(array $shapes): float
{
    return array_sum(array_map(fn (Shape $shape) => $shape->area(), $shapes));
}
//- /src/report.php
<?php

namespace Shapes;

/** One line over all shapes. */
function report(): string
{
    $shapes = [new Circle(1), new Square(2)];
    $total = total_area($shapes);
    return "sum $total";
}
//- /tests/check.php
<?php

use Shapes\Square;
use function Shapes\total_area;

$party = "🎉"; $sum = total_area([new Square(2)]);
echo $party, $sum;
"#;

/// A text for src/report.php with one error: an undefined function at 7:12.
pub const PHP_BROKEN: &str = r#"<?php

namespace Shapes;

function report(): string
{
    return missing_function();
}
"#;
