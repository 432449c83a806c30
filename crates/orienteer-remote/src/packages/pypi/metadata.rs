//! What does the metadata file of a release say?
//!
//! Its fields are those of an e-mail: names and values by line, lines that continue are indented, and the long
//! description comes after an empty line.

use super::info::Info;

/// Reads a metadata file. Nothing when it has no name and version, which every one must have.
pub(super) fn parse(text: &str) -> Option<Info> {
    let mut info = Info::default();
    for (field, value) in fields(text) {
        if value.is_empty() || value == "UNKNOWN" {
            continue;
        }
        match field.to_ascii_lowercase().as_str() {
            "name" => info.name = value,
            "version" => info.version = value,
            "summary" => info.summary = Some(value),
            "home-page" => info.home_page = Some(value),
            "license-expression" => info.license_expression = Some(value),
            "license" => info.license = Some(value),
            "classifier" => info.classifiers.push(value),
            "author" => info.people.insert(0, value),
            "author-email" | "maintainer" | "maintainer-email" => info.people.push(value),
            "requires-dist" => info.requires.push(value),
            "project-url" => {
                if let Some((label, url)) = value.split_once(',') {
                    info.urls.push((label.trim().to_owned(), url.trim().to_owned()));
                }
            }
            _ => {}
        }
    }
    (!info.name.is_empty() && !info.version.is_empty()).then_some(info)
}

fn fields(text: &str) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = all.last_mut() {
                value.push('\n');
                value.push_str(line.trim());
            }
        } else if let Some((field, value)) = line.split_once(':') {
            all.push((field.trim(), value.trim().to_owned()));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_where_the_description_begins() {
        let text = "Metadata-Version: 2.4\nName: demo\nVersion: 1.2\nSummary: A demo\nAuthor-email: Kim <k@x.org>\n\
            License: MIT\n  and more\nProject-URL: Source, https://github.com/o/r\nRequires-Dist: idna<4\n\
            Home-page: UNKNOWN\n\nSummary: not this one\n";
        let info = parse(text).unwrap();
        assert_eq!((info.name.as_str(), info.version.as_str()), ("demo", "1.2"));
        assert_eq!(info.summary.as_deref(), Some("A demo"));
        assert_eq!(info.license.as_deref(), Some("MIT\nand more"));
        assert_eq!(info.home_page, None);
        assert_eq!(info.urls, [("Source".into(), "https://github.com/o/r".into())]);
        let package = info.package(true);
        assert_eq!(package.author.as_deref(), Some("Kim"));
        assert_eq!(package.dependencies, [("idna".into(), "<4".into())]);
    }

    #[test]
    fn what_is_no_metadata_is_none() {
        assert_eq!(parse("<html>\n<body>not found"), None);
        assert_eq!(parse(""), None);
    }
}
