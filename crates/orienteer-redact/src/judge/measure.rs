//! Simple measures of how a value looks.

/// Shannon entropy in bits for each byte.
pub(crate) fn entropy(value: &str) -> f32 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = value.len() as f32;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f32 / total;
            -share * share.log2()
        })
        .sum()
}

pub(crate) fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

pub(crate) fn letters(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_alphabetic).count()
}

/// How many of the four classes occur: lower case, upper case, digits, anything else.
pub(crate) fn classes(value: &str) -> usize {
    let has = |test: fn(&u8) -> bool| usize::from(value.bytes().any(|byte| test(&byte)));
    has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|byte| !byte.is_ascii_alphanumeric())
}

/// How often the text changes between letters and digits: `lexer2` once, `a8f31c` four times.
pub(crate) fn switches(value: &str) -> usize {
    let kinds = value.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit());
    kinds.clone().zip(kinds.skip(1)).filter(|(left, right)| left != right).count()
}

pub(crate) fn is_hex(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The letter pairs that make up some two thirds of English text, and an eighth of random letters.
const COMMON_PAIRS: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou \
    io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us \
    ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh \
    ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op ay ex ke ap ok ey us er se na rd";

/// Whether the text reads like words: at least `least` pairs of letters, about half of them common
/// ones, and most letters in runs that keep to one case as words do.
pub(crate) fn mostly_words(value: &str, least: usize) -> bool {
    word_like(value, least, 52)
}

/// The same with another share of common pairs, in percent.
pub(crate) fn word_like(value: &str, least: usize, percent: usize) -> bool {
    if is_hex(value) && digits(value) >= 4 {
        return false;
    }
    let (mut pairs, mut common, mut in_words) = (0usize, 0usize, 0usize);
    for word in words(value.as_bytes()) {
        in_words += if word.len() >= 3 { word.len() } else { 0 };
        for pair in word.windows(2) {
            pairs += 1;
            common += usize::from(is_common(pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()));
        }
    }
    pairs >= least && common * 100 >= pairs * percent && in_words * 100 >= letters(value) * 65
}

/// Whether the case changes so often that no naming habit explains it, as in `LOiNQMphFRjt`.
pub(crate) fn jumbled_case(value: &str) -> bool {
    let short =
        words(value.as_bytes()).iter().filter(|word| word.len() <= 2).map(|word| word.len()).sum::<usize>();
    letters(value) >= 10 && short * 100 >= letters(value) * 40
}

/// Splits letters into runs: all upper case, or lower case with at most one capital before it.
fn words(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        if !bytes[start].is_ascii_alphabetic() {
            start += 1;
            continue;
        }
        let run =
            |from: usize, test: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| test(byte)).count();
        let upper = run(start, u8::is_ascii_uppercase);
        let lower = run(start + upper, u8::is_ascii_lowercase);
        // In `HTTPServer` the last capital belongs to the next word.
        let length = if upper > 1 && lower > 0 { upper - 1 } else { upper + lower };
        found.push(&bytes[start..start + length]);
        start += length;
    }
    found
}

fn is_common(first: u8, second: u8) -> bool {
    COMMON_PAIRS.as_bytes().chunks(3).any(|chunk| chunk.len() >= 2 && chunk[0] == first && chunk[1] == second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_noise_differ() {
        for words in
            ["refresh_token_value", "thisIsNotARealToken", "correct-horse-battery", "CancellationToken"]
        {
            assert!(mostly_words(words, 6), "{words}");
        }
        for noise in ["x7Gq2LzPw9Kd4RtB", "qzjxkvbwpfgh", "9f86d081884c7d65"] {
            assert!(!mostly_words(noise, 6), "{noise}");
        }
    }

    #[test]
    fn measures() {
        assert!(entropy("aaaa") < 0.01);
        assert!((entropy("abcd") - 2.0).abs() < 0.01);
        assert_eq!(switches("a8f31c"), 4);
        assert_eq!(classes("aB1!"), 4);
    }
}
