//! What of a component's file is a script?
//!
//! Vue puts markup, styles and scripts into one file. What other files use of it stands in the scripts. Svelte does so, too,
//! but its server tells what a component defines, under names of its own.

use orienteer_base::Language;

/// The text with everything but its scripts blank, and the language of these. `None` for files of one language.
pub(crate) fn scripts(language: &Language, text: &str) -> Option<(String, &'static Language)> {
    if language.id != "vue" {
        return None;
    }
    let mut shown = blank(text);
    let mut written = "javascript";
    let mut at = 0;
    while let Some(tag) = find(text, at, "<script") {
        let Some(begin) = end_of_tag(text, tag + "<script".len()) else { break };
        let attributes = &text[tag + "<script".len()..begin];
        let end = find(text, begin, "</script").unwrap_or(text.len());
        at = end;
        // `<scripts>` is something else.
        if !attributes.starts_with(|next: char| next.is_ascii_whitespace() || next == '>') {
            at = begin;
            continue;
        }
        shown.replace_range(begin..end, &text[begin..end]);
        match attribute(attributes, "lang") {
            Some("ts" | "typescript") => written = "typescript",
            Some("tsx") => written = "tsx",
            _ => {}
        }
    }
    Some((shown, Language::by_word(written)?))
}

/// As many bytes and the same lines.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }).collect()
}

/// Where an ASCII word begins, without case.
fn find(text: &str, from: usize, word: &str) -> Option<usize> {
    let first = word.as_bytes().first()?;
    let rest = text.as_bytes().get(from..)?;
    let is_it = |at: &usize| {
        rest.get(*at..*at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    };
    memchr::memchr_iter(*first, rest).find(is_it).map(|at| from + at)
}

/// Behind the `>` of a tag: quoted values may have some of their own.
fn end_of_tag(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    attributes.split_ascii_whitespace().find_map(|written| {
        let value = written.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_end_matches('>').trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, &'static str) {
        let (shown, language) = scripts(Language::by_word("vue").unwrap(), text).unwrap();
        assert_eq!(shown.len(), text.len());
        (shown, language.id)
    }

    #[test]
    fn only_scripts_are_left_where_they_stand() {
        let text =
            "<template>größe\r\n</template>\n<script setup lang=\"ts\">\nlet ä = 1\n</script>\n<style/>\n";
        let (shown, language) = of(text);
        assert_eq!(language, "typescript");
        assert_eq!(shown.trim(), "let ä = 1");
        assert_eq!(shown.find("let"), text.find("let"));
        assert_eq!(shown.lines().count(), text.lines().count());
    }

    #[test]
    fn several_scripts_and_quoted_angles() {
        let text = "<SCRIPT>a</script><script generic=\"T extends X<'>'>\" lang='tsx'>b</SCRIPT><scripts>c</scripts>";
        let (shown, language) = of(text);
        assert_eq!((shown.split_whitespace().collect::<Vec<_>>(), language), (vec!["a", "b"], "tsx"));
        assert_eq!(of("<p>no script</p>").0.trim(), "");
        assert_eq!(of("<script>\nto the end").0.trim(), "to the end");
        assert_eq!(of("<script lang=\"ts").0.trim(), "", "not even the tag ends");
        for other in ["html", "svelte"] {
            assert!(scripts(Language::by_word(other).unwrap(), "<script>a</script>").is_none());
        }
    }
}
