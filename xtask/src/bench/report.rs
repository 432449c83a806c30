//! docs/benchmarks.md.

use std::path::Path;

/// Pages of figures, and the targets that were missed.
pub(crate) struct Report {
    text: String,
    missed: Vec<String>,
}

impl Report {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        Self {
            text: format!(
                "# Benchmarks\n\nWritten by `cargo xtask bench`, measured on {cores} shared cores ({}, {}). Ratios are against \
                 the peer in the same run; absolute times on a shared machine are only an idea.\n",
                std::env::consts::OS,
                std::env::consts::ARCH
            ),
            missed: Vec::new(),
        }
    }

    pub(crate) fn section(&mut self, title: &str, how: &str, head: &str, rows: &[String]) {
        self.text.push_str(&format!("\n## {title}\n\n{how}\n\n{head}\n{}\n", rows.join("\n")));
    }

    pub(crate) fn miss(&mut self, what: String) {
        println!("   missed: {what}");
        self.missed.push(what);
    }

    pub(crate) fn missed(&self) -> &[String] {
        &self.missed
    }

    /// Keeps what people wrote below the line that says so.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let marker = "\n## Other figures\n";
        let old = std::fs::read_to_string(path).unwrap_or_default();
        let kept = old.find(marker).map(|at| &old[at..]).unwrap_or_default();
        std::fs::write(path, format!("{}{kept}", self.text))?;
        Ok(())
    }
}
