//! The hostile language server: `fake-lsp SCRIPT.json`, LSP on stdio. See `orienteer_testkit::fake`.

fn main() -> std::process::ExitCode {
    orienteer_testkit::fake::run(std::env::args_os().skip(1).collect())
}
