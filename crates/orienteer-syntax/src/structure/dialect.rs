//! A language as the matcher sees it: the pattern library's own, except that everything is parsed here.

use std::borrow::Cow;

use ast_grep_core::matcher::PatternBuilder;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::{Language as Grammar, Pattern, PatternError};
use ast_grep_language::{LanguageExt, SupportLang};
use orienteer_base::Language;

use super::document::Document;
use crate::parse::{ParseError, Parsed, Watch, parse_with};
use crate::shown;

#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub(super) language: &'static Language,
    shipped: SupportLang,
    /// Only for parsing the pattern itself, which happens while the pattern library has the floor.
    watch: Watch,
}

impl Dialect {
    pub(super) fn of(language: &'static Language, watch: Watch) -> Option<Self> {
        let shipped = crate::grammar::pattern_language(language)?;
        Some(Self { language, shipped, watch })
    }

    pub(super) fn parse<'t>(&self, text: &'t str, watch: &Watch) -> Result<Parsed<'t>, ParseError> {
        parse_with(text, shown::written, self.language, &self.shipped.get_ts_language(), None, watch)
    }
}

impl Grammar for Dialect {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        self.shipped.pre_process_pattern(query)
    }

    fn meta_var_char(&self) -> char {
        self.shipped.meta_var_char()
    }

    fn expando_char(&self) -> char {
        self.shipped.expando_char()
    }

    fn extract_meta_var(&self, source: &str) -> Option<MetaVariable> {
        self.shipped.extract_meta_var(source)
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.shipped.kind_to_id(kind)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.shipped.field_to_id(field)
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|text| {
            let parsed = self.parse(text, &self.watch).map_err(|error| error.to_string())?;
            Ok(Document::new(text, parsed.tree, self.clone(), self.watch.clone()))
        })
    }
}
