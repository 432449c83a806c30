//! Which vector does a token have?

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use orienteer_base::sha256::Sha256;
use orienteer_base::{Cancel, Digest};

use super::embed::{Embedder, TextLimits};
use super::error::ModelError;
use super::manifest::{MOST_BYTES, ModelFiles, compare};
use super::safetensors::{Tensor, Tensors};
use super::sha256::of_reader;
use super::tokenizer::Tokenizer;
use super::vector::codes;

/// What the rows of a model may take in memory: 500,000 tokens of 512 dimensions.
const MOST_CODES: usize = 256 << 20;
/// Fewer than a float can count exactly.
const MOST_ROWS: usize = 4 << 20;
const MOST_TOKENIZER: u64 = 64 << 20;

/// Vectors of other models, of other dimensions, or of texts that were prepared in another way cannot be compared. Raise
/// this when the same model gives another vector for the same text.
const WAY: u32 = 1;

/// Which model, with how many dimensions: vectors of one identity can be compared with each other and with no others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub [u8; 32]);

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Digest(self.0), formatter)
    }
}

/// A static-embedding model. Its rows are bytes with one scale each, a quarter of what floats take.
#[derive(Debug)]
pub struct Model {
    pub(super) tokenizer: Tokenizer,
    dims: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
    /// Token → row, where several tokens share a row.
    rows: Option<Vec<u32>>,
    /// Token → what it counts, beyond the length of its row.
    weights: Option<Vec<f32>>,
    identity: Identity,
}

impl Model {
    /// Reads a model from its files, keeping the first `dims` dimensions; all of them when not said. Models made for it
    /// lose little by that.
    pub fn load(files: &ModelFiles, dims: Option<usize>, cancel: &Cancel) -> Result<Self, ModelError> {
        let path = &files.weights;
        let expected = |at: usize| files.expected.as_ref().and_then(|expected| expected.get(at)).copied();
        let (mut file, length) = open(path, MOST_BYTES)?;
        let weights_sum = of_reader(&mut file, path, MOST_BYTES, cancel)?;
        check(path, expected(0), weights_sum)?;
        let (tokenizer, tokenizer_sum) = tokenizer(&files.tokenizer, expected(1), cancel)?;

        let tensors = Tensors::open(file, path, length)?;
        let (matrix, count, available) = tensors.matrix()?;
        let dims = dims.unwrap_or(available);
        if dims == 0 || dims > available {
            return Err(ModelError::Dimensions { asked: dims, available });
        }
        if count > MOST_ROWS || count * dims > MOST_CODES {
            let what = format!(
                "{count} rows of {dims} dimensions; {MOST_ROWS} rows and {MOST_CODES} bytes are the most"
            );
            return Err(ModelError::weights(path, what));
        }
        let mut model = Self {
            tokenizer,
            dims,
            codes: Vec::with_capacity(count * dims),
            scales: Vec::with_capacity(count),
            rows: None,
            weights: None,
            identity: identity(&weights_sum, &tokenizer_sum, dims),
        };
        model.read_rows(&tensors, matrix, available, path, cancel)?;
        model.read_extras(&tensors, path, cancel)?;
        Ok(model)
    }

    fn read_rows(
        &mut self,
        tensors: &Tensors,
        matrix: &Tensor,
        columns: usize,
        path: &Path,
        cancel: &Cancel,
    ) -> Result<(), ModelError> {
        tensors.read(matrix, columns, cancel, |row| {
            let kept = row.get(..self.dims).unwrap_or_default();
            if !row.iter().all(|number| number.is_finite()) {
                let what = format!("row {} has numbers that are not finite", self.scales.len());
                return Err(ModelError::weights(path, what));
            }
            match codes(kept) {
                Some((codes, worth)) => {
                    self.codes.extend(codes);
                    self.scales.push(worth);
                }
                None => {
                    self.codes.resize(self.codes.len() + self.dims, 0);
                    self.scales.push(0.0);
                }
            }
            Ok(())
        })
    }

    /// Models with a reduced vocabulary say which row a token has and what it counts.
    fn read_extras(&mut self, tensors: &Tensors, path: &Path, cancel: &Cancel) -> Result<(), ModelError> {
        let numbers = |name: &str| -> Result<Option<Vec<f32>>, ModelError> {
            let Some(tensor) = tensors.named(name).filter(|tensor| tensor.shape.len() == 1) else {
                return Ok(None);
            };
            if tensor.shape.iter().any(|count| *count > MOST_ROWS) {
                return Err(ModelError::weights(path, format!("`{name}` has more than {MOST_ROWS} numbers")));
            }
            let mut all = Vec::new();
            tensors.read(tensor, 1, cancel, |number| {
                all.extend_from_slice(number);
                Ok(())
            })?;
            Ok(Some(all))
        };
        if let Some(mapping) = numbers("mapping")? {
            let count = self.scales.len();
            let row =
                |number: &f32| if (0.0..count as f32).contains(number) { Some(*number as u32) } else { None };
            let rows: Option<Vec<u32>> = mapping.iter().map(row).collect();
            self.rows = Some(
                rows.ok_or_else(|| ModelError::weights(path, "`mapping` names rows that are not there"))?,
            );
        }
        if let Some(weights) = numbers("weights")? {
            if !weights.iter().all(|weight| weight.is_finite()) {
                return Err(ModelError::weights(path, "`weights` has numbers that are not finite"));
            }
            self.weights = Some(weights);
        }
        Ok(())
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn identity(&self) -> Identity {
        self.identity
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// For one thread; it keeps what it learned about words.
    pub fn embedder(&self, limits: TextLimits) -> Embedder<'_> {
        Embedder::new(self, limits)
    }

    /// A token's codes and what one of them is worth. Nothing for a token that the matrix does not have.
    pub(super) fn row(&self, token: u32) -> Option<(&[i8], f32)> {
        let token = token as usize;
        let row = match &self.rows {
            Some(rows) => *rows.get(token)? as usize,
            None => token,
        };
        let weight = match &self.weights {
            Some(weights) => weights.get(token).copied().unwrap_or(1.0),
            None => 1.0,
        };
        let codes = self.codes.get(row * self.dims..(row + 1) * self.dims)?;
        Some((codes, self.scales.get(row)? * weight))
    }
}

fn identity(weights: &Digest, tokenizer: &Digest, dims: usize) -> Identity {
    let mut sum = Sha256::new();
    sum.update(b"orienteer vectors");
    sum.update(&WAY.to_le_bytes());
    sum.update(&(dims as u64).to_le_bytes());
    sum.update(&weights.0);
    sum.update(&tokenizer.0);
    Identity(sum.finish().0)
}

fn check(path: &Path, expected: Option<Digest>, found: Digest) -> Result<(), ModelError> {
    expected.map_or(Ok(()), |expected| compare(path, expected, found))
}

fn open(path: &Path, limit: u64) -> Result<(File, u64), ModelError> {
    let file = File::open(path).map_err(ModelError::unreadable(path))?;
    let bytes = file.metadata().map_err(ModelError::unreadable(path))?.len();
    if bytes > limit {
        return Err(ModelError::TooLarge { path: path.to_path_buf(), bytes, limit });
    }
    Ok((file, bytes))
}

fn tokenizer(
    path: &Path,
    expected: Option<Digest>,
    cancel: &Cancel,
) -> Result<(Tokenizer, Digest), ModelError> {
    let (mut file, _) = open(path, MOST_TOKENIZER)?;
    let sum = of_reader(&mut file, path, MOST_TOKENIZER, cancel)?;
    check(path, expected, sum)?;
    let mut text = Vec::new();
    file.rewind().map_err(ModelError::unreadable(path))?;
    file.take(MOST_TOKENIZER).read_to_end(&mut text).map_err(ModelError::unreadable(path))?;
    cancel.check()?;
    let tokenizer = Tokenizer::parse(&text)
        .map_err(|source| ModelError::Tokenizer { path: path.to_path_buf(), source })?;
    Ok((tokenizer, sum))
}
