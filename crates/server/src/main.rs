//! The one binary. See [`bothy::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    bothy::cli::main()
}
