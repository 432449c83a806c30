//! Bytes as text, a page at a time.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

use super::content::Window;

/// How many characters so many bytes take.
pub(super) fn encoded(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

/// The characters of a page. Four of them are three bytes, so no more is encoded than the page needs.
pub(super) fn page(bytes: &[u8], window: Window) -> String {
    let first = window.offset / 4;
    let last = (window.offset + window.length).div_ceil(4);
    let piece = bytes.get(first * 3..(last * 3).min(bytes.len())).unwrap_or_default();
    STANDARD.encode(piece).chars().skip(window.offset % 4).take(window.length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_put_together_are_the_bytes() {
        for length in [0_u8, 1, 2, 3, 4, 100, 101, 102] {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37)).collect();
            let whole = STANDARD.encode(&bytes);
            assert_eq!(encoded(bytes.len()), whole.len());
            for per_page in [1, 3, 4, 50, 1_000] {
                let mut pages = String::new();
                while pages.len() < whole.len() {
                    let window = Window::new(whole.len(), Some(pages.len()), Some(per_page), 1).unwrap();
                    pages.push_str(&page(&bytes, window));
                }
                assert_eq!(pages, whole, "{length} bytes by {per_page}");
            }
        }
    }
}
