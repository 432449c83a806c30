//! Where are the numbers in a file of weights?
//!
//! The format: eight bytes that tell the length of a JSON header, the header (name → type, shape, place), the numbers.
//! The file comes from outside, so nothing in it is believed before it was compared with the file's own length.

use std::fs::File;
use std::path::{Path, PathBuf};

use orienteer_base::Cancel;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::ModelError;
use crate::positioned::read_at;

/// A static model has three tensors at most; their header has some hundred bytes.
const MOST_HEADER: u64 = 1 << 20;
const MOST_TENSORS: usize = 1000;

/// How much is read at once.
const PORTION: usize = 1 << 20;

/// An open file whose header was checked.
#[derive(Debug)]
pub(super) struct Tensors {
    file: File,
    path: PathBuf,
    tensors: Vec<Tensor>,
}

/// A tensor that lies wholly inside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) shape: Vec<usize>,
    /// From the beginning of the file.
    start: u64,
    bytes: u64,
}

/// How a number is written. Little-endian, all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I8,
    /// Named so that it can be told apart, but never read.
    Other,
}

impl Kind {
    fn parse(name: &str) -> Option<(Self, u64)> {
        Some(match name {
            "F64" => (Self::F64, 8),
            "F32" => (Self::F32, 4),
            "F16" => (Self::F16, 2),
            "BF16" => (Self::Bf16, 2),
            "I64" => (Self::I64, 8),
            "I32" => (Self::I32, 4),
            "I8" => (Self::I8, 1),
            "BOOL" | "U8" | "F8_E5M2" | "F8_E4M3" => (Self::Other, 1),
            "I16" | "U16" => (Self::Other, 2),
            "U32" => (Self::Other, 4),
            "U64" => (Self::Other, 8),
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 | Self::Other => 1,
        }
    }

    fn decode(self, bytes: &[u8], into: &mut Vec<f32>) {
        match self {
            Self::F64 => into.extend(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b) as f32)),
            Self::F32 => into.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Self::F16 => into.extend(bytes.as_chunks().0.iter().map(|b| half(u16::from_le_bytes(*b)))),
            Self::Bf16 => into.extend(bytes.as_chunks().0.iter().map(|b| brain(u16::from_le_bytes(*b)))),
            Self::I64 => into.extend(bytes.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b) as f32)),
            Self::I32 => into.extend(bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b) as f32)),
            Self::I8 => into.extend(bytes.iter().map(|b| f32::from(b.cast_signed()))),
            Self::Other => {}
        }
    }
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

impl Tensors {
    /// Takes a file of this length whose content nobody vouches for.
    pub(super) fn open(file: File, path: &Path, length: u64) -> Result<Self, ModelError> {
        let wrong = |what: String| ModelError::weights(path, what);
        let mut size = [0; 8];
        if length < 8 {
            return Err(wrong(format!("{length} bytes are too few")));
        }
        read_at(&file, &mut size, 0).map_err(ModelError::unreadable(path))?;
        let size = u64::from_le_bytes(size);
        if size > MOST_HEADER || size > length - 8 {
            return Err(wrong(format!("the header claims {size} bytes of {length}")));
        }
        let mut header = vec![0; size as usize];
        read_at(&file, &mut header, 8).map_err(ModelError::unreadable(path))?;
        let header: Map<String, Value> =
            serde_json::from_slice(&header).map_err(|error| wrong(format!("the header: {error}")))?;
        if header.len() > MOST_TENSORS {
            return Err(wrong(format!("{} tensors", header.len())));
        }
        let mut tensors = Vec::new();
        for (name, entry) in header {
            if name != "__metadata__" {
                let entry =
                    Entry::deserialize(entry).map_err(|error| wrong(format!("tensor `{name}`: {error}")))?;
                let tensor = Tensor::checked(name, entry, 8 + size, length).map_err(wrong)?;
                tensors.push(tensor);
            }
        }
        Ok(Self { file, path: path.to_path_buf(), tensors })
    }

    pub(super) fn named(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// The matrix of embeddings: under a name that published models use, or the only matrix that there is.
    pub(super) fn matrix(&self) -> Result<(&Tensor, usize, usize), ModelError> {
        let usual = ["embedding.weight", "embeddings", "0"].iter().find_map(|name| self.named(name));
        let mut matrices = self.tensors.iter().filter(|tensor| tensor.shape.len() == 2 && tensor.kind.real());
        let only = matrices.next().filter(|_| matrices.next().is_none());
        let tensor = usual.or(only);
        match tensor.map(|tensor| (tensor, tensor.shape.as_slice())) {
            Some((tensor, &[rows, columns])) if tensor.kind.real() => Ok((tensor, rows, columns)),
            Some((tensor, shape)) => {
                let what =
                    format!("`{}` of shape {shape:?} is not a matrix of F32, F16, BF16 or I8", tensor.name);
                Err(ModelError::weights(&self.path, what))
            }
            None => {
                let names: Vec<&str> =
                    self.tensors.iter().map(|tensor| tensor.name.as_str()).take(8).collect();
                Err(ModelError::weights(&self.path, format!("no matrix of embeddings among {names:?}")))
            }
        }
    }

    /// All numbers of a tensor, in portions of whole rows of `row` numbers.
    pub(super) fn read(
        &self,
        tensor: &Tensor,
        row: usize,
        cancel: &Cancel,
        mut each: impl FnMut(&[f32]) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        // At least one row; a row is inside the file, so that this is bounded.
        let row_bytes = row.max(1) * tensor.kind.width();
        let portion = PORTION.max(row_bytes) / row_bytes * row_bytes;
        let mut bytes = vec![0; portion.min(tensor.bytes as usize)];
        let mut numbers = Vec::new();
        let mut done = 0;
        while done < tensor.bytes {
            cancel.check()?;
            let count = (tensor.bytes - done).min(portion as u64) as usize;
            let Some(part) = bytes.get_mut(..count) else { break };
            read_at(&self.file, part, tensor.start + done).map_err(ModelError::unreadable(&self.path))?;
            numbers.clear();
            tensor.kind.decode(part, &mut numbers);
            numbers.chunks(row.max(1)).try_for_each(&mut each)?;
            done += count as u64;
        }
        Ok(())
    }
}

impl Tensor {
    fn checked(name: String, entry: Entry, data: u64, length: u64) -> Result<Self, String> {
        let Some((kind, width)) = Kind::parse(&entry.dtype) else {
            return Err(format!("tensor `{name}` has the unknown type `{}`", entry.dtype));
        };
        let [start, end] = entry.data_offsets;
        if start > end || end > length - data {
            return Err(format!("tensor `{name}` lies at {start}..{end} of {} bytes", length - data));
        }
        let wanted = entry.shape.iter().try_fold(width, |product, side| product.checked_mul(*side));
        if wanted != Some(end - start) {
            return Err(format!("tensor `{name}` of shape {:?} has {} bytes", entry.shape, end - start));
        }
        let shape = entry.shape.iter().map(|side| *side as usize).collect();
        Ok(Self { name, kind, shape, start: data + start, bytes: end - start })
    }
}

impl Kind {
    fn real(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16 | Self::I8)
    }
}

/// An IEEE half: five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    match exponent {
        // Too small for an exponent: a multiple of 2^-24, which a float holds exactly.
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The upper half of a float.
fn brain(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::super::tests::support::safetensors;
    use super::*;

    fn open(bytes: &[u8]) -> Result<Tensors, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.safetensors");
        std::fs::write(&path, bytes).unwrap();
        Tensors::open(File::open(&path).unwrap(), &path, bytes.len() as u64)
    }

    fn numbers(kind: &str, data: &[u8], columns: usize) -> Vec<Vec<f32>> {
        let rows = data.len() / columns / Kind::parse(kind).unwrap().1 as usize;
        let file = safetensors(&[("embeddings", kind, &[rows, columns], data)]);
        let tensors = open(&file).unwrap();
        let (tensor, found, width) = tensors.matrix().unwrap();
        assert_eq!((found, width), (rows, columns));
        let mut all = Vec::new();
        let each = |row: &[f32]| {
            all.push(row.to_vec());
            Ok(())
        };
        tensors.read(tensor, columns, &Cancel::new(), each).unwrap();
        all
    }

    #[test]
    fn all_three_ways_to_write_a_number_are_read() {
        let wanted = [vec![1.0, -2.5], vec![0.0, 65504.0]];
        let bytes: Vec<u8> = wanted.iter().flatten().flat_map(|number: &f32| number.to_le_bytes()).collect();
        assert_eq!(numbers("F32", &bytes, 2), wanted);
        let bytes: Vec<u8> =
            [0x3c00u16, 0xc100, 0, 0x7bff].iter().flat_map(|bits| bits.to_le_bytes()).collect();
        assert_eq!(numbers("F16", &bytes, 2), wanted);
        let bytes: Vec<u8> = [0x3f80u16, 0xc020].iter().flat_map(|bits| bits.to_le_bytes()).collect();
        assert_eq!(numbers("BF16", &bytes, 2), [[1.0, -2.5]]);
    }

    #[test]
    fn halves_are_right_at_their_edges() {
        assert_eq!(half(0x0001), 2f32.powi(-24));
        assert_eq!(half(0x83ff), -1023.0 * 2f32.powi(-24));
        assert_eq!(half(0x0400), 2f32.powi(-14));
        assert_eq!(half(0x8000).to_bits(), (-0f32).to_bits());
        assert_eq!(half(0x3555), 0.333_251_95);
        assert_eq!(half(0xfc00), f32::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn a_matrix_larger_than_one_portion_comes_row_by_row() {
        let rows: Vec<Vec<f32>> =
            (0..1500).map(|row| (0..300).map(|at| (row * 300 + at) as f32).collect()).collect();
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|number: &f32| number.to_le_bytes()).collect();
        assert!(bytes.len() > PORTION);
        assert_eq!(numbers("F32", &bytes, 300), rows);
    }

    #[test]
    fn hostile_headers_are_refused_with_a_reason() {
        let said = |bytes: &[u8]| open(bytes).unwrap_err().to_string();
        let with = |header: &str, data: usize| {
            let mut file = (header.len() as u64).to_le_bytes().to_vec();
            file.extend(header.as_bytes());
            file.extend(vec![0; data]);
            file
        };
        let tensor = |shape: &str, from: &str, to: &str| {
            with(&format!(r#"{{"t":{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}}}"#), 16)
        };
        assert!(open(&tensor("[2,2]", "0", "16")).is_ok());
        assert!(said(b"").contains("too few"));
        assert!(said(b"1234567").contains("too few"));
        assert!(said(&u64::MAX.to_le_bytes()).contains("claims"));
        assert!(said(&with("", 0)).contains("the header"));
        assert!(said(&with("[]", 0)).contains("the header"));
        assert!(said(&with(&"[".repeat(5000), 0)).contains("the header"));
        assert!(said(&with(r#"{"t":1}"#, 0)).contains("tensor `t`"));
        assert!(said(&tensor("[2,2]", "0", "17")).contains("0..17 of 16"));
        assert!(said(&tensor("[2,2]", "16", "0")).contains("16..0"));
        assert!(said(&tensor("[2,2]", "4", "16")).contains("has 12 bytes"));
        assert!(said(&tensor("[2,2]", "-1", "15")).contains("tensor `t`"));
        assert!(said(&tensor("[2,2]", "0", "18446744073709551615")).contains("of 16 bytes"));
        assert!(said(&tensor("[4294967296,4294967296]", "0", "16")).contains("has 16 bytes"));
        assert!(said(&tensor("[9223372036854775808,2,4]", "0", "0")).contains("has 0 bytes"));
        let unknown = with(r#"{"t":{"dtype":"Q4","shape":[0],"data_offsets":[0,0]}}"#, 0);
        assert!(said(&unknown).contains("unknown type `Q4`"));
    }

    #[test]
    fn the_matrix_is_found_by_name_or_because_it_is_alone() {
        let (four, one) = ([0; 16], [0; 4]);
        let name = |parts: &[(&str, &str, &[usize], &[u8])]| {
            let tensors = open(&safetensors(parts)).unwrap();
            tensors.matrix().map(|(tensor, ..)| tensor.name.clone()).map_err(|error| error.to_string())
        };
        assert_eq!(name(&[("x", "F32", &[2, 2], &four), ("y", "F32", &[1], &one)]).unwrap(), "x");
        assert_eq!(
            name(&[("x", "F32", &[2, 2], &four), ("embeddings", "F32", &[2, 2], &four)]).unwrap(),
            "embeddings"
        );
        let error = name(&[("x", "F32", &[2, 2], &four), ("y", "F32", &[2, 2], &four)]).unwrap_err();
        assert!(error.contains("no matrix of embeddings among [\"x\", \"y\"]"), "{error}");
        let error = name(&[("embeddings", "I32", &[2, 2], &four)]).unwrap_err();
        assert!(error.contains("not a matrix of F32"), "{error}");
        assert!(name(&[]).is_err());
    }

    #[test]
    fn a_header_may_carry_notes() {
        let header =
            r#"{"__metadata__":{"format":"pt"},"t":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend([0; 4]);
        assert!(open(&file).unwrap().matrix().is_ok());
    }
}
