//! Does this name fit one of these globs?

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use orienteer_base::{Problem, RootedPath, Roots};

use crate::selection::invalid_glob;

/// Globs on names, and on paths where they contain a slash. Such a path starts at the folder asked about or
/// at the workspace root.
#[derive(Debug)]
pub(crate) struct Names {
    names: GlobSet,
    paths: GlobSet,
    bases: Vec<std::path::PathBuf>,
}

impl Names {
    pub(crate) fn new(
        field: &'static str,
        globs: &[String],
        case_sensitive: bool,
        roots: &Roots,
        folder: &RootedPath,
    ) -> Result<Self, Problem> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for written in globs {
            let glob = written.strip_prefix("./").unwrap_or(written).trim_end_matches('/');
            let compiled = GlobBuilder::new(glob.trim_start_matches('/'))
                .case_insensitive(!case_sensitive)
                .literal_separator(true)
                .build()
                .map_err(|error| invalid_glob(field, written, &error.to_string()))?;
            if glob.contains('/') {
                paths.add(compiled)
            } else {
                names.add(compiled)
            };
        }
        let build = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| {
                invalid_glob(field, globs.first().map_or("", String::as_str), &error.to_string())
            })
        };
        let bases = vec![folder.absolute().to_owned(), roots.workspace().to_owned()];
        Ok(Self { names: build(names)?, paths: build(paths)?, bases })
    }

    pub(crate) fn fits(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.names.is_match(name))
            || (!self.paths.is_empty()
                && self
                    .bases
                    .iter()
                    .filter_map(|base| path.strip_prefix(base).ok())
                    .any(|relative| self.paths.is_match(relative)))
    }
}
