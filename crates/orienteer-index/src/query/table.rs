//! Which filters are there, and what may stand in each?
//!
//! One table serves the query box, structured filters, errors and documentation.

use orienteer_syntax::facts::Field;

use super::pattern::Manner;

/// The filters, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    Path,
    File,
    Ext,
    Lang,
    Kind,
    Symbol,
    Author,
    Import,
    Export,
    Calls,
    Uses,
    Signature,
    Parameter,
    Decorator,
    ReturnType,
    DeclaredType,
    Throws,
    Reads,
    Writes,
    Extends,
    Visibility,
    IsAsync,
    IsGenerator,
    ChurnMin,
    ChurnMax,
    ModifiedAfter,
    ModifiedSince,
    Branch,
    Case,
    BranchesMin,
    BranchesMax,
    LoopsMin,
    LoopsMax,
    Lint,
    Risk,
    HasDoc,
    Test,
    Generated,
    Vendored,
    Meta,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Text, matched in this manner.
    Text(Manner),
    Language,
    Kind,
    Visibility,
    /// `source`, `sink`, `flow` or a tag of the rules.
    Risk,
    /// `true` or `false`.
    Flag,
    /// `errors` or `clean`.
    Lint,
    /// `include`, `exclude` or `only`.
    Presence,
    /// A number that is the least, or the most, of what is counted.
    Least(Counted),
    Most(Counted),
    /// A date, a time, or an age such as `7d`.
    Moment,
    /// Keys and values of records.
    Meta,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Commits that changed the file.
    Churn,
    Branches,
    Loops,
}

/// One filter.
#[derive(Debug)]
pub struct Row {
    pub name: Name,
    /// As it is written.
    pub word: &'static str,
    /// Also understood.
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    /// What the extractor of a language must fill for it.
    pub needs: &'static [Field],
    /// For documentation.
    pub about: &'static str,
}

macro_rules! rows {
    ($($name:ident $word:literal [$($alias:literal)*] $shape:expr, [$($field:ident)*] $about:literal;)*) => {
        &[$(Row {
            name: Name::$name,
            word: $word,
            aliases: &[$($alias),*],
            shape: $shape,
            needs: &[$(Field::$field),*],
            about: $about,
        }),*]
    };
}

use Counted::{Branches, Churn, Loops};
use Manner::{Extension, File, Last, Part, Path, Run, Whole};
use Shape::{Flag, Least, Moment, Most, Presence, Text};

/// In the order of documentation.
pub static ROWS: &[Row] = rows! {
    Path "path" [] Text(Path), [] "Part of the path, or a glob";
    File "file" ["filename"] Text(File), [] "Name of the file with or without its extension, the end of a path, or a glob";
    Ext "ext" ["extension"] Text(Extension), [] "Extension without the dot";
    Lang "lang" ["language"] Shape::Language, [] "Language";
    Kind "kind" [] Shape::Kind, [] "Kind of symbol, or comment, section, config, text, record";
    Symbol "symbol" [] Text(Last), [] "Name or path of the enclosing definition, with * for any letters";
    Author "author" [] Text(Part), [] "Part of the name or address of who changed it last";
    Import "import" ["imports"] Text(Run), [Imports] "Module, package or name that the file imports";
    Export "export" ["exports"] Text(Last), [Exports] "Name that the file exports";
    Calls "calls" ["call"] Text(Last), [Calls] "Name of something that it calls";
    Uses "uses" [] Text(Last), [Uses] "Type or constant that it names";
    Signature "signature" [] Text(Part), [] "Part of the signature";
    Parameter "parameter" ["param"] Text(Run), [Parameters] "Name or type of a parameter";
    Decorator "decorator" ["annotation"] Text(Last), [Decorators] "Decorator, attribute or annotation";
    ReturnType "return_type" ["returns"] Text(Run), [ReturnType] "Type that it returns";
    DeclaredType "declared_type" [] Text(Run), [Parameters ReturnType] "Type of a parameter or of what it returns, as written";
    Throws "throws" [] Text(Last), [Throws] "Error that it throws";
    Reads "reads" [] Text(Run), [Reads] "Field or variable that it reads";
    Writes "writes" [] Text(Run), [Writes] "Field or variable that it writes";
    Extends "extends" ["implements"] Text(Last), [Extends] "Base class, interface or trait";
    Visibility "visibility" [] Shape::Visibility, [Visibility] "public, protected, internal or private";
    IsAsync "is_async" ["async"] Flag, [Async] "Whether it is asynchronous";
    IsGenerator "is_generator" ["generator"] Flag, [Generator] "Whether it is a generator";
    ChurnMin "churn_min" [] Least(Churn), [] "Least number of commits that changed the file";
    ChurnMax "churn_max" [] Most(Churn), [] "Most commits that changed the file";
    ModifiedAfter "modified_after" [] Moment, [] "Changed after a date, a time, or an age such as 7d";
    ModifiedSince "modified_since" [] Moment, [] "The same as modified_after";
    Branch "branch" [] Text(Whole), [] "Branch that the index was built on";
    Case "case" [] Flag, [] "Whether capitals and small letters differ, for words and for filters";
    BranchesMin "branches_min" [] Least(Branches), [Branches] "Least number of branches in it";
    BranchesMax "branches_max" [] Most(Branches), [Branches] "Most branches in it";
    LoopsMin "loops_min" [] Least(Loops), [Loops] "Least number of loops in it";
    LoopsMax "loops_max" [] Most(Loops), [Loops] "Most loops in it";
    Lint "lint" [] Shape::Lint, [] "errors for files that the grammar cannot read in full, clean for others";
    Risk "risk" [] Shape::Risk, [Calls Imports] "source, sink, flow, or a tag of the risk rules";
    HasDoc "has_doc" [] Flag, [Doc] "Whether it is documented";
    Test "test" ["tests"] Presence, [] "include, exclude or only tests";
    Generated "generated" [] Presence, [] "include, exclude or only generated and minified files";
    Vendored "vendored" [] Presence, [] "include, exclude or only code copied from elsewhere";
    Meta "meta" [] Shape::Meta, [] "Metadata of records: key=value, or a key that must be there";
};

impl Row {
    /// By name or alias, without case.
    pub fn by_word(word: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.words().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// The name, then the aliases.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.word).chain(self.aliases.iter().copied())
    }
}

/// All names, in order.
pub fn names() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_word_belongs_to_one_filter_and_is_found() {
        let mut seen = HashSet::new();
        for row in ROWS {
            for word in row.words() {
                assert!(seen.insert(word), "{word} twice");
                assert_eq!(Row::by_word(word).map(|found| found.name), Some(row.name));
            }
        }
        assert_eq!(Row::by_word("LANG").map(|row| row.name), Some(Name::Lang));
        assert!(Row::by_word("nothing").is_none());
    }
}
