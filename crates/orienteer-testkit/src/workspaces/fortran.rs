//! A Fortran project.

/// A module, a program that uses it and another one with words before the name.
///
/// - `circle` src/shapes.f90 9:11, a type
/// - `square_area` src/shapes.f90 18:17, a function
/// - `circle_area` src/shapes.f90 23:17, behind the type's `area`
/// - `total_area` src/shapes.f90 29:14, a subroutine
/// - `square_area` app/main.f90 7:20, called
/// - `area` app/main.f90 7:44, a method called
/// - `total_area` app/main.f90 7:8, called
/// - `square_area` app/report.f90 4:23, called behind an emoji
///
/// [`FORTRAN_BROKEN`] is a text for app/main.f90 with one error.
pub const FORTRAN: &str = r#"//- /fpm.toml
name = "shapes"
//- /src/shapes.f90
!> Flat and round shapes.
module shapes
  implicit none
  private
  public :: circle, square_area, total_area

  real, parameter :: pi = 3.14159

  type :: circle
    real :: radius
  contains
    procedure :: area => circle_area
  end type circle

contains

  !> The area of a square.
  real function square_area(side)
    real, intent(in) :: side
    square_area = side * side
  end function square_area

  real function circle_area(self)
    class(circle), intent(in) :: self
    circle_area = pi * self%radius ** 2
  end function circle_area

  !> The sum of all areas.
  subroutine total_area(areas, sum_of_all)
    real, intent(in) :: areas(:)
    real, intent(out) :: sum_of_all
    sum_of_all = sum(areas)
  end subroutine total_area

end module shapes
//- /app/main.f90
program main
  use shapes, only: circle, square_area, total_area
  implicit none
  type(circle) :: wheel
  real :: all
  wheel%radius = 2.0
  call total_area([square_area(3.0), wheel%area()], all)
  print *, all
end program main
//- /app/report.f90
program report
  use shapes, only: square_area
  implicit none
  print *, "größe 📐", square_area(3.0)
end program report
"#;

/// A text for app/main.f90 that declares `all` twice: 6:11.
pub const FORTRAN_BROKEN: &str = r#"program main
  use shapes, only: circle, square_area, total_area
  implicit none
  type(circle) :: wheel
  real :: all
  real :: all
  wheel%radius = 2.0
  call total_area([square_area(3.0), wheel%area()], all)
  print *, all
end program main
"#;
