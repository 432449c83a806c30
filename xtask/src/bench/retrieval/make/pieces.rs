//! The words that an identifier is made of.

/// `parseHTTPHeader` → parse, HTTP, Header; `snake_case2` → snake, case2.
pub(in super::super) fn pieces(name: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
        let letters: Vec<(usize, char)> = part.char_indices().collect();
        let mut begin = 0;
        for (number, &(at, c)) in letters.iter().enumerate().skip(1) {
            let before = letters[number - 1].1;
            let behind = letters.get(number + 1).map(|(_, c)| *c);
            let hump = c.is_uppercase() && !before.is_uppercase();
            let last_of_capitals = c.is_uppercase() && behind.is_some_and(char::is_lowercase);
            if hump || last_of_capitals {
                all.push(&part[begin..at]);
                begin = at;
            }
        }
        all.push(&part[begin..]);
    }
    all
}

/// The first letter of every piece, in lower case.
pub(super) fn initials(name: &str) -> String {
    pieces(name).iter().filter_map(|piece| piece.chars().next()).flat_map(char::to_lowercase).collect()
}

/// Every piece cut after three letters, put together as the name is: `getConTim`, `get_con_tim`.
pub(super) fn shortened(name: &str) -> String {
    let cut = |piece: &&str| piece.chars().take(3).collect::<String>();
    let between = if name.contains('_') { "_" } else { "" };
    pieces(name).iter().map(cut).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_taken_apart() {
        assert_eq!(pieces("parseHTTPHeader"), ["parse", "HTTP", "Header"]);
        assert_eq!(pieces("__snake_case2"), ["snake", "case2"]);
        assert_eq!(pieces("URL"), ["URL"]);
        assert_eq!(initials("parseHTTPHeader"), "phh");
        assert_eq!(shortened("getConnectionTimeout"), "getConTim");
        assert_eq!(shortened("get_connection_timeout"), "get_con_tim");
    }
}
