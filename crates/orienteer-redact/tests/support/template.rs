//! Expands `{{alnum:36}}` and the like, so that the repository holds no text in the form of a token.

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A small generator with a fixed sequence: the same seed gives the same set everywhere.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn pick(&mut self, alphabet: &str) -> char {
        let bytes = alphabet.as_bytes();
        char::from(bytes[(self.next() % bytes.len() as u64) as usize])
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| self.pick(alphabet)).collect()
    }
}

/// Expands every template of `text`.
pub fn expand(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let Some(close) = rest[open..].find("}}").map(|at| open + at) else { break };
        let name = &rest[open + 2..close];
        out.push_str(&rest[..open]);
        match value(name, random) {
            Some(value) => out.push_str(&value),
            // Other template languages use the same braces; they are left as they are.
            None => out.push_str(&rest[open..close + 2]),
        }
        rest = &rest[close + 2..];
    }
    out.push_str(rest);
    out
}

fn value(name: &str, random: &mut Random) -> Option<String> {
    let parts: Vec<&str> = name.split(':').collect();
    let number = |at: usize| parts.get(at).and_then(|part| part.parse::<usize>().ok());
    let base64 = format!("{ALNUM}+/");
    Some(match parts[0] {
        "alnum" => random.text(ALNUM, number(1)?),
        "alpha" => random.text(&ALNUM[..52], number(1)?),
        "lower" => random.text(&ALNUM[26..], number(1)?),
        "caps" => random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", number(1)?),
        "upper" => random.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", number(1)?),
        "digits" => random.text("123456789", number(1)?),
        "hex" => random.text("0123456789abcdef", number(1)?),
        "base64" => random.text(&base64, number(1)?),
        "b64url" => random.text(&format!("{ALNUM}-_"), number(1)?),
        "rep" => parts.get(1)?.repeat(number(2)?),
        "seq" => "1234567890abcdefghijklmnopqrstuvwxyz".chars().cycle().take(number(1)?).collect(),
        "uuid" => {
            let mut groups = [8, 4, 4, 4, 12].map(|length| random.text("0123456789abcdef", length));
            groups[2].replace_range(0..1, "4");
            groups.join("-")
        }
        "pw" => password(random, number(1)?),
        "basic" => encode(format!("{}:{}", parts.get(1)?, random.text(ALNUM, number(2)?)).as_bytes()),
        "b64of" => encode(parts.get(1..)?.join(":").as_bytes()),
        "fence" => format!("-----{}-----", parts.get(1)?),
        "pem" => key_lines(random, number(1)?, &base64, "\n"),
        "pemesc" => key_lines(random, number(1)?, &base64, "\\n"),
        _ => return None,
    })
}

/// A password of all four classes that ends in a letter.
fn password(random: &mut Random, length: usize) -> String {
    let mut text = random.text(&format!("{ALNUM}!#*+^~_"), length.saturating_sub(4));
    text.push(random.pick("0123456789"));
    text.push(random.pick("!#*+^~"));
    text.push(random.pick("ABCDEFGHJKLMNPQRSTUVWXYZ"));
    text.push(random.pick("abcdefghjkmnpqrstuvwxyz"));
    text
}

fn key_lines(random: &mut Random, lines: usize, alphabet: &str, join: &str) -> String {
    let mut all: Vec<String> = (0..lines).map(|_| random.text(alphabet, 64)).collect();
    all.push(format!("{}==", random.text(alphabet, 22)));
    all.join(join)
}

fn encode(bytes: &[u8]) -> String {
    let alphabet = format!("{ALNUM}+/");
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().enumerate().fold(0u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let digit = (word >> (18 - 6 * at)) as usize & 63;
            out.push(if at > chunk.len() { '=' } else { char::from(alphabet.as_bytes()[digit]) });
        }
    }
    out
}
