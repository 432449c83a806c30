//! docs/benchmarks.md.

use std::path::Path;

/// What people wrote stands below this line and is kept.
const BY_HAND: &str = "Other figures";

/// Pages of figures, and the targets that were missed.
pub(crate) struct Report {
    head: String,
    /// Titles and texts.
    sections: Vec<(String, String)>,
    missed: Vec<String>,
}

impl Report {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        Self {
            head: format!(
                "# Benchmarks\n\nWritten by `cargo xtask bench`, measured on {cores} shared cores ({}, {}). Ratios are against \
                 the peer in the same run; absolute times on a shared machine are only an idea.\n",
                std::env::consts::OS,
                std::env::consts::ARCH
            ),
            sections: Vec::new(),
            missed: Vec::new(),
        }
    }

    pub(crate) fn section(&mut self, title: &str, how: &str, head: &str, rows: &[String]) {
        let text = format!("\n## {title}\n\n{how}\n\n{head}\n{}\n", rows.join("\n"));
        self.sections.push((title.to_owned(), text));
    }

    pub(crate) fn miss(&mut self, what: String) {
        println!("   missed: {what}");
        self.missed.push(what);
    }

    pub(crate) fn missed(&self) -> &[String] {
        &self.missed
    }

    /// Writes the page anew. Keeps what people wrote below the line that says so.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let old = std::fs::read_to_string(path).unwrap_or_default();
        let kept = split(&old).1.into_iter().find(|(title, _)| title == BY_HAND);
        let sections = self.sections.iter().chain(&kept);
        let text: String = sections.map(|(_, text)| text.as_str()).collect();
        std::fs::write(path, format!("{}{text}", self.head))?;
        Ok(())
    }

    /// Writes the sections of this report into a page, in place of those with the same titles, and leaves all
    /// others as they are.
    pub(crate) fn write_into(&self, path: &Path) -> anyhow::Result<()> {
        let old = std::fs::read_to_string(path).unwrap_or_default();
        let (head, mut sections) = split(&old);
        let head = if head.is_empty() { self.head.clone() } else { head };
        for (title, text) in &self.sections {
            match sections.iter_mut().find(|(old, _)| old == title) {
                Some((_, old)) => old.clone_from(text),
                None => {
                    let by_hand = sections.iter().position(|(title, _)| title == BY_HAND);
                    sections.insert(by_hand.unwrap_or(sections.len()), (title.clone(), text.clone()));
                }
            }
        }
        let text: String = sections.iter().map(|(_, text)| text.as_str()).collect();
        std::fs::write(path, format!("{head}{text}"))?;
        Ok(())
    }
}

/// What stands before the first section, and the sections with their titles.
fn split(page: &str) -> (String, Vec<(String, String)>) {
    let mut parts = page.split("\n## ");
    let head = parts.next().unwrap_or_default().to_owned();
    let sections = parts.map(|part| {
        let title = part.lines().next().unwrap_or_default().to_owned();
        (title, format!("\n## {part}"))
    });
    (head, sections.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_replaced_by_title_and_new_ones_stand_before_what_people_wrote() {
        let folder = std::env::temp_dir().join(format!("orienteer-report-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let page = folder.join("page.md");
        std::fs::write(&page, "# Head\n\n## A\n\nold a\n\n## B\n\nold b\n\n## Other figures\n\nby hand\n")
            .unwrap();
        let mut report = Report::new();
        report.section("B", "new", "| x |\n| --- |", &["| 1 |".to_owned()]);
        report.section("C", "new", "| x |\n| --- |", &["| 2 |".to_owned()]);
        report.write_into(&page).unwrap();
        let written = std::fs::read_to_string(&page).unwrap();
        assert_eq!(
            written,
            "# Head\n\n## A\n\nold a\n\n## B\n\nnew\n\n| x |\n| --- |\n| 1 |\n\n## C\n\nnew\n\n| x |\n| --- |\n| 2 |\n\n\
             ## Other figures\n\nby hand\n"
        );
        report.write(&page).unwrap();
        let written = std::fs::read_to_string(&page).unwrap();
        assert!(written.starts_with("# Benchmarks") && !written.contains("## A"), "{written}");
        assert!(written.ends_with("| 2 |\n\n## Other figures\n\nby hand\n"), "{written}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
