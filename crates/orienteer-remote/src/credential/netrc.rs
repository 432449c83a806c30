//! Which tokens does a `.netrc` hold?

use super::{Known, Source};
use crate::secret::Secret;

/// Reads the text of a `.netrc`. `default` is passed over: a password for everybody belongs to nobody. Macros end at
/// an empty line.
pub fn netrc(text: &str) -> Vec<Known> {
    let mut found = Vec::new();
    let (mut machine, mut user, mut password) = (None, None, None);
    let mut flush =
        |machine: &mut Option<String>, user: &mut Option<String>, password: &mut Option<Secret>| {
            let user = user.take();
            if let (Some(host), Some(secret)) = (machine.take(), password.take()) {
                found.push(Known { host, source: Source::Netrc, user, secret });
            }
        };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "machine" => {
                    flush(&mut machine, &mut user, &mut password);
                    machine = words.next().map(str::to_owned);
                }
                "default" => flush(&mut machine, &mut user, &mut password),
                "login" => user = words.next().map(str::to_owned),
                "password" => password = words.next().and_then(Secret::new),
                "account" => drop(words.next()),
                "macdef" => {
                    lines.by_ref().find(|line| line.trim().is_empty());
                    break;
                }
                _ if word.starts_with('#') => break,
                _ => {}
            }
        }
    }
    flush(&mut machine, &mut user, &mut password);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_read_in_every_layout() {
        let text = "# mine\nmachine a.example login me password one\nmachine b.example\n  login you\n  account x\n  \
                    password two\nmacdef init\nmachine evil password no\n\nmachine c.example password three\n\
                    default login all password nobody\n";
        let found: Vec<_> = netrc(text)
            .into_iter()
            .map(|known| (known.host, known.user.unwrap_or_default(), known.secret.reveal().to_owned()))
            .collect();
        let row =
            |host: &str, user: &str, secret: &str| (host.to_owned(), user.to_owned(), secret.to_owned());
        let expected =
            [row("a.example", "me", "one"), row("b.example", "you", "two"), row("c.example", "", "three")];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_incomplete_is_passed_over() {
        for text in ["", "machine", "machine a login b", "password x", "machine a password", "login"] {
            assert_eq!(netrc(text), [], "{text}");
        }
    }
}
