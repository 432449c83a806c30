//! How similar are two vectors?

/// The direction of a text's meaning: bytes, and the number that makes their length one. The similarity of two is then
/// the cosine of the angle between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// Signed bytes, as they are read from files and databases.
    codes: Box<[u8]>,
    scale: f32,
}

/// Codes go from -127 to 127, so that both signs have the same.
const MOST: f32 = 127.0;

impl Vector {
    /// Nothing where there is no direction: all zero, or not all finite.
    pub fn quantised(numbers: &[f32]) -> Option<Self> {
        let (codes, _) = codes(numbers)?;
        let codes: Box<[u8]> = codes.into_iter().map(i8::cast_unsigned).collect();
        let scale = 1.0 / (dot(&codes, &codes) as f32).sqrt();
        Some(Self { codes, scale })
    }

    pub fn dims(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// What a code is multiplied with.
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// From -1 to 1; 0 for vectors that are not of one kind.
    pub fn similarity(&self, other: &Self) -> f32 {
        if self.dims() != other.dims() {
            return 0.0;
        }
        dot(&self.codes, &other.codes) as f32 * (self.scale * other.scale)
    }

    /// As it is kept in a database: scale, then codes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend_from_slice(&self.codes);
        bytes
    }

    /// Nothing where the bytes are not a vector of so many dimensions.
    pub fn from_bytes(bytes: &[u8], dims: usize) -> Option<Self> {
        let (scale, codes) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        if codes.len() != dims || !scale.is_finite() || scale <= 0.0 {
            return None;
        }
        Some(Self { codes: codes.into(), scale })
    }
}

/// Bytes in proportion to the numbers, and what one of them is worth.
pub(super) fn codes(numbers: &[f32]) -> Option<(Vec<i8>, f32)> {
    // A NaN is passed over by `max`, but not by the sum.
    let largest = numbers.iter().fold(0f32, |largest, number| largest.max(number.abs()));
    let sum: f32 = numbers.iter().map(|number| number.abs()).sum();
    if largest <= 0.0 || !sum.is_finite() {
        return None;
    }
    let worth = largest / MOST;
    // Denormal numbers would divide to infinity, which the cast keeps inside its range all the same.
    Some((numbers.iter().map(|number| (number / worth).round().clamp(-MOST, MOST) as i8).collect(), worth))
}

/// The sum of products. Whole numbers, so that the order in which the compiler adds does not matter; in arrays of fixed
/// length with a sum of their own, which it turns into the machine's wide multiply-and-add (five times as fast as sums
/// written out for each lane).
pub(super) fn dot(left: &[u8], right: &[u8]) -> i32 {
    let (left, left_rest) = left.as_chunks::<32>();
    let (right, right_rest) = right.as_chunks::<32>();
    let chunks: i32 = left.iter().zip(right).map(|(left, right)| products(left, right)).sum();
    chunks + products(left_rest, right_rest)
}

#[inline]
fn products(left: &[u8], right: &[u8]) -> i32 {
    left.iter()
        .zip(right)
        .map(|(left, right)| i32::from(left.cast_signed()) * i32::from(right.cast_signed()))
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_vector_is_similar_to_itself_and_opposite_to_its_opposite() {
        let one = Vector::quantised(&[0.5, -1.0, 0.25]).unwrap();
        let other = Vector::quantised(&[-1.0, 2.0, -0.5]).unwrap();
        assert_eq!(one.codes(), [64, (-127i8).cast_unsigned(), 32]);
        assert!((one.similarity(&one) - 1.0).abs() < 1e-6);
        assert!((one.similarity(&other) + 1.0).abs() < 1e-6);
        let across = Vector::quantised(&[1.0, 0.5, 0.0]).unwrap();
        assert!(one.similarity(&across).abs() < 0.01);
    }

    #[test]
    fn numbers_without_a_direction_give_no_vector() {
        for numbers in [&[][..], &[0.0, 0.0], &[1.0, f32::NAN], &[1.0, f32::INFINITY]] {
            assert_eq!(Vector::quantised(numbers), None, "{numbers:?}");
        }
        assert!(Vector::quantised(&[f32::MIN_POSITIVE / 4.0, 0.0]).is_some());
    }

    #[test]
    fn vectors_of_other_dimensions_are_not_similar() {
        let one = Vector::quantised(&[1.0]).unwrap();
        let other = Vector::quantised(&[1.0, 0.0]).unwrap();
        assert_eq!(one.similarity(&other), 0.0);
    }

    #[test]
    fn damaged_bytes_are_no_vector() {
        let bytes = Vector::quantised(&[1.0, 2.0]).unwrap().to_bytes();
        assert!(Vector::from_bytes(&bytes, 2).is_some());
        assert_eq!(Vector::from_bytes(&bytes, 3), None);
        assert_eq!(Vector::from_bytes(&bytes[..3], 2), None);
        for scale in [f32::NAN, 0.0, -1.0, f32::INFINITY] {
            let damaged = [&scale.to_le_bytes()[..], &bytes[4..]].concat();
            assert_eq!(Vector::from_bytes(&damaged, 2), None, "{scale}");
        }
    }

    proptest! {
        #[test]
        fn quantising_keeps_the_angle(numbers in prop::collection::vec((-1f32..1.0, -1f32..1.0), 32..300)) {
            let (left, right): (Vec<f32>, Vec<f32>) = numbers.into_iter().unzip();
            let length = |numbers: &[f32]| numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
            let product: f32 = left.iter().zip(&right).map(|(left, right)| left * right).sum();
            let exact = product / (length(&left) * length(&right));
            let (left, right) = (Vector::quantised(&left).unwrap(), Vector::quantised(&right).unwrap());
            prop_assert!((left.similarity(&right) - exact).abs() < 0.01);
            prop_assert_eq!(Vector::from_bytes(&left.to_bytes(), left.dims()), Some(left));
        }

        #[test]
        fn the_fast_product_is_the_plain_one(pairs in prop::collection::vec((-127i8..=127, -127i8..=127), 0..600)) {
            let (left, right): (Vec<u8>, Vec<u8>) =
                pairs.iter().map(|(left, right)| (left.cast_unsigned(), right.cast_unsigned())).unzip();
            let plain: i32 = pairs.iter().map(|(left, right)| i32::from(*left) * i32::from(*right)).sum();
            prop_assert_eq!(dot(&left, &right), plain);
        }
    }
}
