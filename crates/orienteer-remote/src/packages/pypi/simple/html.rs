//! Which links does the page of a simple index have?

use reqwest::Url;

use super::File;
use crate::packages::names::decoded;

/// The links of a page. Nothing when it is no HTML at all.
pub(super) fn files(body: &str, base: &Url) -> Option<Vec<File>> {
    let lower = body.to_ascii_lowercase();
    if !lower.contains("<html") && !lower.contains("<a ") && !lower.contains("<!doctype") {
        return None;
    }
    let mut files = Vec::new();
    let mut from = 0;
    while let Some(start) = lower.get(from..).and_then(|rest| rest.find("<a ")).map(|at| at + from) {
        let rest = body.get(start + 3..).unwrap_or_default();
        let Some(end) = tag_end(rest) else { break };
        files.extend(file(rest.get(..end).unwrap_or_default(), base));
        from = start + 3 + end;
    }
    Some(files)
}

/// Where the tag ends: a bracket inside quotes is part of a value.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    None
}

fn file(tag: &str, base: &Url) -> Option<File> {
    let attributes = attributes(tag);
    let value =
        |name: &str| attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let mut url = base.join(&value("href")?).ok()?;
    // The digest behind the hash sign is not part of the address.
    url.set_fragment(None);
    let last = url.path_segments()?.next_back()?.to_owned();
    let told = |name| value(name).is_some_and(|value| value != "false");
    Some(File {
        name: decoded(&last),
        yanked: value("data-yanked"),
        has_metadata: told("data-core-metadata") || told("data-dist-info-metadata"),
        uploaded: value("data-upload-time"),
        url,
    })
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut rest = tag.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
        rest = rest.get(end..).unwrap_or_default().trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| "\"'".contains(*c));
            let inner = quote.map_or(after, |quote| after.strip_prefix(quote).unwrap_or(after));
            let end = match quote {
                Some(quote) => inner.find(quote),
                None => inner.find(char::is_whitespace),
            };
            let end = end.unwrap_or(inner.len());
            value = unescaped(inner.get(..end).unwrap_or_default());
            rest = inner.get(end + usize::from(quote.is_some())..).unwrap_or_default().trim_start();
        }
        if !name.is_empty() {
            all.push((name, value));
        } else if rest.is_empty() {
            break;
        }
    }
    all
}

/// The few entities that stand in attributes.
fn unescaped(text: &str) -> String {
    let table =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&#x27;", "'")];
    let text = table.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain));
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<Vec<File>> {
        files(body, &Url::parse("https://index.example.org/simple/demo/").unwrap())
    }

    #[test]
    fn links_are_read_with_what_stands_beside_them() {
        let files = read(
            "<!DOCTYPE html><html><body>\n\
             <a href=\"../../f/demo-1.0.tar.gz#sha256=00\" data-requires-python=\"&gt;=3.8\">demo-1.0.tar.gz</a><br/>\n\
             <A HREF='https://files.example.org/demo-1.1%2Bl-py3-none-any.whl' data-yanked data-core-metadata=\"sha256=0\">x</A>\n\
             <a data-yanked=\"a > b &amp; c\" data-dist-info-metadata=\"false\" href=demo-1.2.zip>y</a></body></html>",
        )
        .unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["demo-1.0.tar.gz", "demo-1.1+l-py3-none-any.whl", "demo-1.2.zip"]);
        assert_eq!(files[0].url.as_str(), "https://index.example.org/f/demo-1.0.tar.gz");
        assert_eq!((files[0].yanked.as_deref(), files[0].has_metadata), (None, false));
        assert_eq!((files[1].yanked.as_deref(), files[1].has_metadata), (Some(""), true));
        assert_eq!((files[2].yanked.as_deref(), files[2].has_metadata), (Some("a > b & c"), false));
    }

    #[test]
    fn broken_pages_end_and_other_texts_are_none() {
        for body in
            ["<a ", "<a href=", "<a href=\"", "<a = = =>", "<html><a href='x", "<a %%%>", "<a href=%zz>"]
        {
            assert!(read(body).is_some(), "{body}");
        }
        assert_eq!(read("no such project"), None);
    }
}
