//! The entry: everything else is in the library, where tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    orienteer::cli::main()
}
