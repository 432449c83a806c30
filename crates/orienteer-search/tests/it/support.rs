//! Trees and questions to start from.

use std::path::Path;

use orienteer_base::listing::Matches;
use orienteer_base::question::{
    After, Case, Detail, EntryOrder, FileOrder, FindQuery, Part, ReadQuery, Selection, TextQuery, TreeQuery,
};
use orienteer_base::{Answer, Cancel, Conceal, Problem, Roots};

pub(crate) struct Tree {
    _temp: tempfile::TempDir,
    pub(crate) roots: Roots,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let roots = Roots::new(temp.path(), &[]).unwrap();
        let tree = Self { _temp: temp, roots };
        for (path, content) in files {
            tree.write(path, content);
        }
        tree
    }

    pub(crate) fn path(&self) -> &Path {
        self.roots.workspace()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn text_query(&self, pattern: &str) -> TextQuery {
        TextQuery {
            pattern: pattern.to_owned(),
            scope: self.roots.workspace_path(),
            fixed_string: false,
            case: Case::Sensitive,
            whole_word: false,
            multiline: false,
            selection: Selection::default(),
            detail: Detail::Matches,
            context_lines: 0,
            matches_per_file: usize::MAX,
            files_per_page: usize::MAX,
            order: FileOrder::Path,
            after: After::default(),
            conceal: Conceal::default(),
        }
    }

    pub(crate) fn search(&self, query: &TextQuery) -> Result<Answer<Matches>, Problem> {
        orienteer_search::search_text(&self.roots, query, &Cancel::new())
    }

    pub(crate) fn read_query(&self, path: &str, part: Part) -> ReadQuery {
        ReadQuery {
            file: self.roots.resolve(path).unwrap(),
            part,
            max_chars: 100_000,
            conceal: Conceal::default(),
        }
    }

    pub(crate) fn tree_query(&self, depth: usize) -> TreeQuery {
        TreeQuery {
            folder: self.roots.workspace_path(),
            depth,
            whole: false,
            details: false,
            hidden: false,
            no_ignore: false,
            order: EntryOrder::Name,
            files_only: false,
            directories_only: false,
            extensions: Vec::new(),
            pattern: None,
            entries_per_page: 1_000,
            skip: 0,
        }
    }

    pub(crate) fn find_query(&self) -> FindQuery {
        FindQuery { files_per_page: 1_000, ..FindQuery::everything(self.roots.workspace_path()) }
    }
}

pub(crate) fn shown(matches: &Matches) -> Vec<&str> {
    matches.files.iter().map(|file| file.file_path.as_str()).collect()
}

pub(crate) fn utf16(text: &str, little: bool) -> Vec<u8> {
    let encode = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    std::iter::once('\u{feff}')
        .chain(text.chars())
        .flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec())
        .flat_map(encode)
        .collect()
}
