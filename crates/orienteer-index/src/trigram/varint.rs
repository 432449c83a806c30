//! How are small numbers written in one byte?

/// Appends a number, seven bits to a byte, the lowest first.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; `None` when there is none.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    let mut number = u64::from(first & 0x7f);
    let mut shift = 7;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift > 63 || (shift == 63 && bits > 1) {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

pub(super) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes).and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_ends_are_noticed() {
        let numbers = [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX), u64::MAX];
        let mut out = Vec::new();
        numbers.iter().for_each(|number| put(&mut out, *number));
        let mut rest = &out[..];
        assert!(numbers.iter().all(|number| take(&mut rest) == Some(*number)));
        assert_eq!(take(&mut rest), None);
        assert_eq!(take(&mut &[0x80, 0x80][..]), None, "cut");
        assert_eq!(take(&mut &[0xff; 12][..]), None, "too large");
        assert_eq!(take_u32(&mut &[0x80, 0x80, 0x80, 0x80, 0x10][..]), None, "too large for 32 bits");
    }
}
