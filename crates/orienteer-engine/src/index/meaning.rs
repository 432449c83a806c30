//! What means something similar?
//!
//! With a model, every piece has a vector. Those of a generation are made beside it, once it can be asked; those of files
//! that changed since are made when they are needed. Without, words alone are compared.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, Stopped};
use orienteer_index::find::read_now;
use orienteer_index::store::{File, FileFlags, FileId, Reader, Store, vectors_path};
use orienteer_index::vectors::{
    Embedder, Fields, Model, ModelFiles, TextLimits, Vector, VectorFile, VectorWriter, VectorsError,
};

use super::Index;

/// Files that changed since whose vectors are made for one question; the others are found by their words.
const MOST_SINCE: usize = 100;

/// What belongs to the model, made once.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    /// `None` before the first use; then the model, or what is wrong with it.
    model: Mutex<Option<Result<Arc<Model>, String>>>,
    file: Mutex<Option<(u64, Arc<VectorFile>)>>,
    since: Mutex<Since>,
    making: Mutex<Making>,
    /// Told when nobody is at it any more.
    made: Condvar,
}

/// Who makes the vectors of a generation.
#[derive(Debug, Default)]
struct Making {
    busy: bool,
    /// The index has become another while they were made.
    again: bool,
    /// The generation whose vectors were not made, and why.
    failed: Option<(u64, String)>,
}

impl Meanings {
    fn making(&self) -> MutexGuard<'_, Making> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to make vectors. Given back however that ends.
#[derive(Debug)]
pub(super) struct Claim<'m>(&'m Meanings);

impl Claim<'_> {
    /// Whether it is over: not when the index has become another meanwhile.
    fn rest(&self) -> bool {
        !std::mem::take(&mut self.0.making().again)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.making().busy = false;
        self.0.made.notify_all();
    }
}

/// How often who waits looks whether somebody still wants that.
const GLANCE: Duration = Duration::from_millis(50);

/// Vectors of files that were put in after a generation was built, by the numbers of its files.
#[derive(Debug, Default)]
struct Since {
    generation: u64,
    files: HashMap<FileId, Vec<(u64, Vector)>>,
}

/// Everything that a question needs.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) model: Arc<Model>,
    pub(super) file: Arc<VectorFile>,
    pub(super) since: Vec<(u64, Vector)>,
    /// Files that changed and have no vectors yet.
    pub(super) left: usize,
}

impl Index {
    /// The model that was configured; `None` without one.
    fn model(&self, cancel: &Cancel) -> Option<Result<Arc<Model>, String>> {
        let folder = self.model.as_ref()?;
        let mut model = self.meanings.model.lock().unwrap_or_else(PoisonError::into_inner);
        if model.is_none() {
            let files = ModelFiles::find(folder);
            let loaded = files.and_then(|files| Model::load(&files, None, cancel));
            if cancel.is_cancelled() {
                return None;
            }
            *model = Some(loaded.map(Arc::new).map_err(|error| error.to_string()));
        }
        model.clone()
    }

    /// What is known about meanings in a generation, or why nothing is; `Ok(None)` where nobody wants it.
    pub(super) fn meanings(&self, reader: &Reader<'_>, cancel: &Cancel) -> Result<Option<Known>, String> {
        let Some(model) = self.model(cancel).transpose()? else { return Ok(None) };
        let generation = reader.generation();
        let mut held = self.meanings.file.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held.as_ref().filter(|(known, _)| *known == generation).map(|(_, file)| file.clone());
        let file = match known {
            Some(file) => file,
            None => {
                let path = vectors_path(&self.build.folder, generation);
                if !path.is_file() {
                    return Err(self.why_no_vectors(generation));
                }
                let opened = VectorFile::open(&path, model.identity());
                let file = Arc::new(opened.map_err(|error| error.to_string())?);
                *held = Some((generation, file.clone()));
                file
            }
        };
        drop(held);
        let (since, left) = self.since(reader, &model, cancel).map_err(|stopped| stopped.to_string())?;
        Ok(Some(Known { model, file, since, left }))
    }

    fn why_no_vectors(&self, generation: u64) -> String {
        let making = self.meanings.making();
        match &making.failed {
            _ if making.busy => "the vectors of the index are still being made".to_owned(),
            Some((failed, why)) if *failed == generation => {
                format!("the vectors of the index could not be made: {why}")
            }
            _ => "the vectors of the index are not made yet; build_index makes them".to_owned(),
        }
    }

    /// The vectors of files that changed, and how many such files have none.
    fn since(
        &self,
        reader: &Reader<'_>,
        model: &Model,
        cancel: &Cancel,
    ) -> Result<(Vec<(u64, Vector)>, usize), Stopped> {
        let mut since = self.meanings.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.generation != reader.generation() {
            *since = Since { generation: reader.generation(), files: HashMap::new() };
        }
        let now = reader.files_since_build();
        since.files.retain(|id, _| now.contains(id));
        let missing: Vec<FileId> = now.into_iter().filter(|id| !since.files.contains_key(id)).collect();
        let left = missing.len().saturating_sub(MOST_SINCE);
        let mut embedder = model.embedder(TextLimits::default());
        for id in missing.into_iter().take(MOST_SINCE) {
            cancel.check()?;
            let Ok(Some(file)) = reader.file(id) else { continue };
            let vectors = self.embed(reader, &file, &mut embedder);
            since.files.insert(id, vectors);
        }
        let mut all: Vec<(u64, Vector)> = since.files.values().flatten().cloned().collect();
        all.sort_by_key(|(piece, _)| *piece);
        Ok((all, left))
    }

    /// The right to make vectors, where a model is configured. Whoever has it is told that the index has changed.
    pub(super) fn claim_vectors(&self) -> Option<Claim<'_>> {
        self.model.as_ref()?;
        let mut making = self.meanings.making();
        if making.busy {
            making.again = true;
            return None;
        }
        making.busy = true;
        making.again = false;
        Some(Claim(&self.meanings))
    }

    /// Makes the vectors of the generation that counts, and those of the next one where that came meanwhile.
    pub(super) fn make_vectors(&self, claim: Claim<'_>, store: &Store, cancel: &Cancel) {
        let Some(Ok(model)) = self.model(cancel) else { return };
        loop {
            let generation = store.read().map(|reader| reader.generation()).unwrap_or_default();
            // A panic would leave no word, and who asks would wait for ever.
            self.meanings.making().failed = Some((generation, "that work ended early".to_owned()));
            let written = self.write_vectors(store, &model, cancel);
            let failed = written.err().filter(|_| !cancel.is_cancelled());
            if let Some(error) = &failed {
                tracing::warn!(%error, "the vectors of the index were not made");
            }
            self.meanings.making().failed = failed.map(|error| (generation, error.to_string()));
            if cancel.is_cancelled() || claim.rest() {
                return;
            }
        }
    }

    /// Waits until nobody makes vectors. Blocks; says whether that came in time.
    pub(super) fn await_vectors(&self, patience: Duration, cancel: &Cancel) -> Result<bool, Stopped> {
        let begun = Instant::now();
        let mut making = self.meanings.making();
        while making.busy {
            cancel.check()?;
            if begun.elapsed() >= patience {
                return Ok(false);
            }
            let waited = self.meanings.made.wait_timeout(making, GLANCE);
            making = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }

    /// How many vectors the index has; `None` where there is no model, or none were made.
    pub(super) fn vectors(&self, store: &Store, cancel: &Cancel) -> Option<u64> {
        let model = self.model(cancel)?.ok()?;
        let path = vectors_path(&self.build.folder, store.read().ok()?.generation());
        VectorFile::open(&path, model.identity()).ok().map(|file| file.len() as u64)
    }

    fn write_vectors(&self, store: &Store, model: &Model, cancel: &Cancel) -> Result<(), VectorsError> {
        let Ok(reader) = store.read() else { return Ok(()) };
        let path = vectors_path(&self.build.folder, reader.generation());
        if VectorFile::open(&path, model.identity()).is_ok() {
            return Ok(());
        }
        let Ok(mut files) = reader.files() else { return Ok(()) };
        // Vectors are written in the order of their numbers.
        files.sort_by_key(|file| file.id);
        let since: std::collections::HashSet<FileId> = reader.files_since_build().into_iter().collect();
        let mut writer = VectorWriter::create(&path, model.identity(), model.dims())?;
        let mut embedder = model.embedder(TextLimits::default());
        for file in files.iter().filter(|file| !since.contains(&file.id)) {
            cancel.check()?;
            for (piece, vector) in self.embed(&reader, file, &mut embedder) {
                writer.push(piece, &vector)?;
            }
        }
        writer.finish()
    }

    /// The vectors of a file's pieces, as long as it is what was indexed.
    fn embed(&self, reader: &Reader<'_>, file: &File, embedder: &mut Embedder<'_>) -> Vec<(u64, Vector)> {
        // What nobody reads has no meaning that helps.
        if file.flags.any(FileFlags::BINARY.with(FileFlags::MINIFIED).with(FileFlags::TOO_LARGE)) {
            return Vec::new();
        }
        let Some(now) = read_now(&self.build.root, file).filter(|now| now.same) else { return Vec::new() };
        let Ok(pieces) = reader.pieces_of(file) else { return Vec::new() };
        let symbols = reader.symbols_of(file).unwrap_or_default();
        let path = file.path.shown();
        let mut vectors = Vec::new();
        for piece in pieces.iter() {
            let symbol = symbols.iter().find(|symbol| Some(symbol.id) == piece.symbol);
            let fields = Fields {
                path: &path,
                name: symbol.map_or("", |symbol| &symbol.name_path),
                signature: symbol.map_or("", |symbol| &symbol.signature),
                doc: symbol.map_or("", |symbol| &symbol.doc),
                body: now.text.get(piece.range.clone()).unwrap_or_default(),
            };
            let number = u64::try_from(piece.id.0).ok();
            vectors.extend(number.zip(embedder.embed_fields(&fields)));
        }
        vectors
    }
}
