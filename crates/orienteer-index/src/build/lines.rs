//! On which line is this byte?

/// Where every line begins. A line ends after `\n`, after `\r\n`, or after a lone `\r`.
#[derive(Debug)]
pub(super) struct Lines(Vec<u32>);

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            }
        }
        Self(starts)
    }

    /// 0-based.
    pub(super) fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// How many, without the empty one after a final line end.
    pub(super) fn count(&self, text: &str) -> usize {
        self.0.len() - usize::from(text.is_empty() || text.ends_with(['\n', '\r']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_protocols_have_it() {
        let text = "a\nb\r\nc\rd";
        let lines = Lines::new(text);
        assert_eq!(lines.count(text), 4);
        assert_eq!([0, 1, 2, 4, 5, 7].map(|offset| lines.of(offset)), [0, 0, 1, 1, 2, 3]);
        assert_eq!(lines.of(999), 3);
        assert_eq!(Lines::new("").count(""), 0);
        assert_eq!(Lines::new("a\n").count("a\n"), 1);
    }
}
