//! What do lines of names and values in a settings file say?
//!
//! Cargo's files are TOML and npm's are its own kind of INI. What is looked for are texts in tables, which both write in
//! one line; everything else is passed over.

/// Tables and names joined by dots, with their texts.
pub(super) fn toml(text: &str) -> Vec<(String, String)> {
    let mut table = String::new();
    let mut all = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            table = key(name.0);
        } else if let Some((name, value)) = line.split_once('=')
            && !line.starts_with('#')
            && let Some(value) = quoted(value.trim())
        {
            let name = key(name);
            all.push((if table.is_empty() { name } else { format!("{table}.{name}") }, value));
        }
    }
    all
}

/// A dotted name without quotes and spaces.
fn key(text: &str) -> String {
    text.split('.').map(|part| part.trim().trim_matches(['"', '\''])).collect::<Vec<_>>().join(".")
}

/// The text between the quotes at the beginning. Escapes do not occur in addresses and tokens.
fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| "\"'".contains(*c))?;
    let rest = text.strip_prefix(quote)?;
    let end = rest.find(quote)?;
    rest.get(..end).map(str::to_owned)
}

/// The names and values of an `.npmrc`, with variables filled in; a value with an unknown variable is none.
pub(super) fn npmrc(text: &str, variable: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';', '[']));
    lines
        .filter_map(|line| line.split_once('='))
        .filter_map(|(name, value)| {
            let value = value.trim();
            let value = quoted(value).unwrap_or_else(|| value.to_owned());
            Some((filled(name.trim(), &variable)?, filled(&value, &variable)?))
        })
        .collect()
}

/// `${NAME}` replaced by what the variable holds; with a question mark, by nothing when there is none.
fn filled(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}')?;
        let value = match name.strip_suffix('?') {
            Some(name) => variable(name).unwrap_or_default(),
            None => variable(name)?,
        };
        out.push_str(before);
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_their_tables() {
        let text = "# a comment = \"x\"\ntop = \"1\"\n[registries.mine]\nindex = \"sparse+https://a/\" # why\n\
            [registries.\"my-other\"]\n  index = 'https://b/'\nnumber = 5\n[net]\nretry=2\nregistries.c.index = \"d\"\n";
        assert_eq!(
            toml(text),
            [
                ("top".into(), "1".into()),
                ("registries.mine.index".into(), "sparse+https://a/".into()),
                ("registries.my-other.index".into(), "https://b/".into()),
                ("net.registries.c.index".into(), "d".to_owned()),
            ] as [(String, String); 4]
        );
        assert!(toml("[\n]=\n= \"\n\"=\"").len() <= 1);
    }

    #[test]
    fn variables_of_an_npmrc_are_filled_in() {
        let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
        let text = "; comment\n//r.example.org/:_authToken=${TOKEN}\n//s.example.org/:_authToken=${NONE}\n\
            a = \"b\"\nempty=${NONE?}\nbad=${TOKEN\n";
        let found = npmrc(text, variable);
        assert_eq!(found[0], ("//r.example.org/:_authToken".into(), "secret".into()));
        assert_eq!(found[1], ("a".into(), "b".into()));
        assert_eq!(found[2], ("empty".into(), String::new()));
        assert_eq!(found.len(), 3);
    }
}
