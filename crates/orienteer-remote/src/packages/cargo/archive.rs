//! What does a crate say about itself?
//!
//! Its archive is read in memory, up to its manifest and no further, and only if it has the checksum of the index.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use orienteer_base::remote::Package;
use orienteer_base::{Cancel, Digest};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::index::Line;
use crate::packages::repository;

/// What is unpacked on the way to the manifest; an archive that needs more is not a crate.
const MOST_UNPACKED: u64 = 256 << 20;
const MOST_OF_A_MANIFEST: u64 = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    package: About,
}

/// A field that is inherited from a workspace has been filled in by `cargo publish`; what is something else is passed
/// over.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct About {
    description: Text,
    license: Text,
    repository: Text,
    homepage: Text,
    authors: People,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Text {
    Written(String),
    Other(IgnoredAny),
    #[default]
    Absent,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum People {
    Written(Vec<String>),
    Other(IgnoredAny),
    #[default]
    Absent,
}

impl Text {
    fn text(self) -> Option<String> {
        match self {
            Self::Written(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Self::Other(_) | Self::Absent => None,
        }
    }
}

impl Manifest {
    /// Adds what the index does not know.
    pub(super) fn complete(self, package: &mut Package) {
        let about = self.package;
        package.description = about.description.text();
        package.license = about.license.text();
        package.repository = about.repository.text().as_deref().and_then(repository::parse);
        package.homepage = about.homepage.text();
        package.author = match about.authors {
            People::Written(names) => names.first().and_then(|name| {
                let name = name.split('<').next().unwrap_or_default().trim();
                (!name.is_empty()).then(|| name.to_owned())
            }),
            People::Other(_) | People::Absent => None,
        };
    }
}

/// The manifest in an archive that is the one of the index.
pub(super) fn manifest(archive: &[u8], line: &Line) -> Option<Manifest> {
    let expected = Digest::parse(&line.cksum)?;
    if Digest::of(&mut &archive[..], u64::MAX, &Cancel::new()).ok()? != expected {
        return None;
    }
    let unpacked = GzDecoder::new(archive).take(MOST_UNPACKED);
    let mut archive = tar::Archive::new(unpacked);
    let wanted = Path::new(&format!("{}-{}", line.name, line.vers)).join("Cargo.toml");
    for entry in archive.entries().ok()? {
        let entry = entry.ok()?;
        if entry.path().ok()? == wanted {
            let mut text = String::new();
            entry.take(MOST_OF_A_MANIFEST).read_to_string(&mut text).ok()?;
            return toml::from_str(&text).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::cargo::index::lines;

    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut builder =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn line(archive: &[u8]) -> Line {
        let sum = Digest::of(&mut &archive[..], u64::MAX, &Cancel::new()).unwrap();
        lines(&format!(r#"{{"name":"demo","vers":"1.0.0","cksum":"{sum}"}}"#)).remove(0)
    }

    #[test]
    fn a_crate_describes_itself() {
        let text = "[package]\nname = \"demo\"\nversion = \"1.0.0\"\ndescription = \"\"\"\nA demo\n\"\"\"\nlicense = \"MIT\"\n\
            authors = [\"Kim <k@x.org>\"]\nrepository = \"https://github.com/o/r\"\nhomepage = { workspace = true }\n";
        let archive = packed(&[("demo-1.0.0/src/lib.rs", ""), ("demo-1.0.0/Cargo.toml", text)]);
        let line = line(&archive);
        let mut package = super::super::index::package(std::slice::from_ref(&line), false, 0).unwrap();
        manifest(&archive, &line).unwrap().complete(&mut package);
        assert_eq!(package.description.as_deref(), Some("A demo"));
        assert_eq!((package.license.as_deref(), package.author.as_deref()), (Some("MIT"), Some("Kim")));
        assert_eq!(package.repository.unwrap().repo.as_deref(), Some("r"));
        assert_eq!(package.homepage, None);
    }

    #[test]
    fn another_archive_than_the_index_has_is_not_believed() {
        let archive = packed(&[("demo-1.0.0/Cargo.toml", "[package]\n")]);
        let other = packed(&[("demo-1.0.0/Cargo.toml", "[package]\nlicense = \"X\"\n")]);
        assert!(manifest(&archive, &line(&archive)).is_some());
        assert!(manifest(&other, &line(&archive)).is_none());
        let elsewhere = packed(&[("demo-2.0.0/Cargo.toml", "[package]\n")]);
        assert!(manifest(&elsewhere, &line(&elsewhere)).is_none());
        let broken = &archive[..archive.len() / 2];
        assert!(manifest(broken, &line(broken)).is_none());
    }
}
