//! An outline in few bytes.
//!
//! Nearly every name is a slice of the text, every signature its beginning, every path the one of the container and the
//! name. Only what is not is kept as text, so that the outlines of a large project fit into a few megabytes and need
//! not be made again for each answer. Symbols are packed in blocks, so that who wants one of them unpacks a few.

use std::borrow::Cow;
use std::ops::Range;

use orienteer_base::SymbolKind;
use orienteer_syntax::{Outline, Symbol};

/// Symbols that are unpacked together.
const BLOCK: usize = 32;

/// Where the text comes from that an outline was made of.
pub(crate) trait Source {
    /// Nothing where there is no such part.
    fn slice(&self, part: Range<usize>) -> Cow<'_, str>;
}

impl Source for str {
    fn slice(&self, part: Range<usize>) -> Cow<'_, str> {
        Cow::Borrowed(self.get(part).unwrap_or_default())
    }
}

/// What is kept of an outline.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    bytes: Box<[u8]>,
    blocks: Box<[Block]>,
    kinds: Box<[SymbolKind]>,
    pub(crate) truncated: bool,
}

/// Where a block of symbols is, and what can be told without unpacking it.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Of its first symbol.
    start: u32,
    /// Of the symbol before that.
    before: u32,
    /// Its bytes begin there.
    at: u32,
    /// No symbol of an earlier block goes further.
    reach: u32,
}

/// Part of the text, or text of its own.
#[derive(Debug, Clone, Copy)]
enum Piece {
    /// As long as this, from where it is expected to begin.
    Slice(u32),
    /// The same with each run of white space as one blank: a signature over several lines.
    Spaced(u32),
    /// The same, cut where it is long.
    Cut(u32),
    /// Bytes of the packed outline.
    Own(u32, u32),
}

/// A symbol without its strings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    start: u32,
    end: u32,
    name_start: u32,
    name_end: u32,
    parent: Option<u32>,
    kind: SymbolKind,
    name: Piece,
    /// `None`: the path of the container and the name.
    path: Option<Piece>,
    signature: Piece,
}

impl Item {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn name_range(&self) -> Range<usize> {
        self.name_start as usize..self.name_end as usize
    }
}

impl Packed {
    pub(crate) fn new(outline: &Outline, text: &str) -> Self {
        let mut writer = Writer { bytes: Vec::new(), text };
        let mut before = 0;
        let mut reach = 0;
        let mut blocks = Vec::with_capacity(outline.symbols.len().div_ceil(BLOCK));
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let start = symbol.range.start;
            if at % BLOCK == 0 {
                let before = u32::try_from(before).unwrap_or_default();
                blocks.push(Block { start: small(start), before, at: small(writer.bytes.len()), reach });
            }
            reach = reach.max(small(symbol.range.end));
            writer.signed(start as i64 - before);
            before = start as i64;
            writer.number(symbol.range.len());
            writer.signed(symbol.name_range.start as i64 - start as i64);
            writer.number(symbol.name_range.len());
            writer.number(symbol.parent.map_or(0, |parent| parent + 1));
            writer.piece(&symbol.name, symbol.name_range.start);
            let parent = symbol.parent.and_then(|parent| outline.symbols.get(parent));
            if joins(&symbol.name_path, parent, &symbol.name) {
                writer.number(0);
            } else {
                writer.number(1);
                writer.own(&symbol.name_path);
            }
            writer.piece(&symbol.signature, start);
        }
        let kinds = outline.symbols.iter().map(|symbol| symbol.kind).collect();
        Self { bytes: writer.bytes.into(), blocks: blocks.into(), kinds, truncated: outline.truncated }
    }

    /// Memory.
    pub(crate) fn size(&self) -> usize {
        let (blocks, kinds) = (&self.blocks, &self.kinds);
        self.bytes.len() + size_of_val::<[SymbolKind]>(kinds) + size_of_val::<[Block]>(blocks)
    }

    /// The symbols of one block in their order.
    fn block(&self, number: usize) -> Vec<Item> {
        let Some(block) = self.blocks.get(number) else { return Vec::new() };
        let mut reader = Reader { bytes: &self.bytes, at: block.at as usize };
        let mut before = i64::from(block.before);
        let kinds = self.kinds.iter().skip(number * BLOCK).take(BLOCK);
        let mut items = Vec::with_capacity(kinds.len());
        items.extend(kinds.map_while(|kind| reader.item(&mut before, *kind)));
        items
    }

    fn item(&self, at: usize) -> Option<Item> {
        self.block(at / BLOCK).get(at % BLOCK).copied()
    }

    /// The nearest symbol that begins at or before an offset and fits, among the nearest so many.
    pub(crate) fn before(&self, offset: usize, most: usize, fits: impl Fn(&Item) -> bool) -> Option<usize> {
        self.before_until(offset, most, fits, |_| false)
    }

    /// The innermost symbol around an offset: of those around it, the one that begins last.
    pub(crate) fn around(&self, offset: usize) -> Option<usize> {
        let ends = |block: &Block| block.reach as usize <= offset;
        self.before_until(offset, usize::MAX, |item| item.range().contains(&offset), ends)
    }

    /// The symbol whose name stands at an offset.
    pub(crate) fn standing_at(&self, offset: usize) -> Option<usize> {
        let at = |item: &Item| item.name_range().start <= offset && offset <= item.name_range().end;
        // A name is near the beginning of its definition: nothing but what is inside stands between.
        self.before(offset, 64, at)
    }

    /// `ends`: nothing in the blocks before one can fit.
    fn before_until(
        &self,
        offset: usize,
        most: usize,
        fits: impl Fn(&Item) -> bool,
        ends: impl Fn(&Block) -> bool,
    ) -> Option<usize> {
        let mut left = most;
        let behind = self.blocks.partition_point(|block| block.start as usize <= offset);
        for (number, block) in self.blocks.iter().enumerate().take(behind).rev() {
            let items = self.block(number);
            let end = items.partition_point(|item| item.range().start <= offset);
            let first = end.saturating_sub(left);
            if let Some(at) = items[first..end].iter().rposition(&fits) {
                return Some(number * BLOCK + first + at);
            }
            left -= end - first;
            if left == 0 || ends(block) {
                return None;
            }
        }
        None
    }

    /// One symbol with its strings, of the text that the outline was made of.
    pub(crate) fn symbol(&self, at: usize, text: &(impl Source + ?Sized)) -> Option<Symbol> {
        let item = self.item(at)?;
        Some(self.whole(&item, self.path(at, text), text))
    }

    fn whole(&self, item: &Item, name_path: String, text: &(impl Source + ?Sized)) -> Symbol {
        Symbol {
            name: self.string(item.name, item.name_start, text),
            kind: item.kind,
            name_path,
            range: item.range(),
            name_range: item.name_range(),
            parent: item.parent.map(|parent| parent as usize),
            signature: self.string(item.signature, item.start, text),
        }
    }

    /// The name of a symbol alone.
    pub(crate) fn name(&self, at: usize, text: &(impl Source + ?Sized)) -> Option<String> {
        self.item(at).map(|item| self.string(item.name, item.name_start, text))
    }

    /// The names from the outermost container to a symbol.
    pub(crate) fn path(&self, at: usize, text: &(impl Source + ?Sized)) -> String {
        self.path_among(at, |at| self.item(at), text)
    }

    fn path_among(
        &self,
        at: usize,
        get: impl Fn(usize) -> Option<Item>,
        text: &(impl Source + ?Sized),
    ) -> String {
        let mut names = Vec::new();
        let mut next = Some(at);
        // A parent may stand later than its children; what is damaged must not go round in circles.
        while let Some(item) = next.and_then(&get).filter(|_| names.len() < 256) {
            if let Some(path) = item.path {
                names.push(self.string(path, 0, text));
                break;
            }
            names.push(self.string(item.name, item.name_start, text));
            next = item.parent.map(|parent| parent as usize);
        }
        names.reverse();
        names.join("/")
    }

    fn string(&self, piece: Piece, start: u32, text: &(impl Source + ?Sized)) -> String {
        let part = |length: u32| text.slice(start as usize..start as usize + length as usize);
        match piece {
            Piece::Slice(length) => part(length).into_owned(),
            Piece::Spaced(length) | Piece::Cut(length) => {
                let lines = part(length);
                let mut line = lines.split_whitespace().collect::<Vec<_>>().join(" ");
                if matches!(piece, Piece::Cut(_)) {
                    line.push('…');
                }
                line
            }
            Piece::Own(at, end) => {
                let bytes = self.bytes.get(at as usize..end as usize).unwrap_or_default();
                String::from_utf8_lossy(bytes).into_owned()
            }
        }
    }

    /// The outline as it was.
    pub(crate) fn outline(&self, text: &str) -> Vec<Symbol> {
        let items: Vec<Item> = (0..self.blocks.len()).flat_map(|number| self.block(number)).collect();
        let path = |at: usize| self.path_among(at, |at| items.get(at).copied(), text);
        items.iter().enumerate().map(|(at, item)| self.whole(item, path(at), text)).collect()
    }
}

fn joins(path: &str, parent: Option<&Symbol>, name: &str) -> bool {
    match parent {
        None => path == name,
        Some(parent) => path
            .strip_prefix(parent.name_path.as_str())
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| rest == name),
    }
}

const OWN: usize = 0;
const SLICE: usize = 1;
const SPACED: usize = 2;
const CUT: usize = 3;

struct Writer<'t> {
    bytes: Vec<u8>,
    text: &'t str,
}

impl Writer<'_> {
    fn number(&mut self, number: usize) {
        let mut rest = number as u64;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Small numbers of either sign take few bytes.
    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as usize);
    }

    fn own(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend(text.as_bytes());
    }

    /// As a slice of the text where it is one.
    fn piece(&mut self, piece: &str, start: usize) {
        let rest = self.text.get(start..).unwrap_or_default();
        if rest.starts_with(piece) {
            self.number(piece.len() << 2 | SLICE);
        } else if let Some(length) = spaced(rest, piece) {
            self.number(length << 2 | SPACED);
        } else if let Some(length) = piece.strip_suffix('…').and_then(|piece| spaced(rest, piece)) {
            self.number(length << 2 | CUT);
        } else {
            self.number(piece.len() << 2 | OWN);
            self.bytes.extend(piece.as_bytes());
        }
    }
}

/// How much of a text is the piece when runs of white space count as one blank.
fn spaced(text: &str, piece: &str) -> Option<usize> {
    let mut rest = text;
    for (at, word) in piece.split(' ').enumerate() {
        if at > 0 {
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
        }
        rest = rest.strip_prefix(word).filter(|_| !word.is_empty())?;
    }
    Some(text.len() - rest.len())
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn skip(&mut self, length: u32) -> Option<Piece> {
        let start = u32::try_from(self.at).ok()?;
        self.at += length as usize;
        Some(Piece::Own(start, start.checked_add(length)?))
    }

    fn piece(&mut self) -> Option<Piece> {
        let number = self.small()?;
        let length = number >> 2;
        match (number & 3) as usize {
            SLICE => Some(Piece::Slice(length)),
            SPACED => Some(Piece::Spaced(length)),
            CUT => Some(Piece::Cut(length)),
            _ => self.skip(length),
        }
    }

    fn item(&mut self, before: &mut i64, kind: SymbolKind) -> Option<Item> {
        *before += self.signed()?;
        let start = u32::try_from(*before).ok()?;
        let end = start.checked_add(self.small()?)?;
        let name_start = u32::try_from(*before + self.signed()?).ok()?;
        let name_end = name_start.checked_add(self.small()?)?;
        let parent = self.small()?.checked_sub(1);
        let name = self.piece()?;
        let path = match self.small()? {
            0 => None,
            _ => {
                let length = self.small()?;
                Some(self.skip(length)?)
            }
        };
        let signature = self.piece()?;
        Some(Item { start, end, name_start, name_end, parent, kind, name, path, signature })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use orienteer_base::{Cancel, Language};
    use orienteer_syntax::{Limits, symbols};

    use super::*;

    fn survives(path: &str, text: &str) -> (Outline, Packed) {
        let limits = Limits { max_bytes: 1 << 20, max_time: Duration::from_secs(20), max_symbols: 10_000 };
        let language = Language::by_path(std::path::Path::new(path)).unwrap();
        let outline = symbols(text, language, &limits, &Cancel::new()).unwrap();
        let packed = Packed::new(&outline, text);
        assert_eq!(packed.outline(text), outline.symbols, "{path}");
        for (at, symbol) in outline.symbols.iter().enumerate() {
            assert_eq!(packed.symbol(at, text).as_ref(), Some(symbol), "{path}");
        }
        for offset in 0..=text.len() {
            let around = outline.symbols.iter().rposition(|symbol| symbol.range.contains(&offset));
            assert_eq!(packed.around(offset), around, "{path}: {offset}");
            let begins = outline.symbols.iter().rposition(|symbol| symbol.range.start <= offset);
            assert_eq!(packed.before(offset, usize::MAX, |_| true), begins, "{path}: {offset}");
            assert_eq!(packed.before(offset, 40, |_| false), None);
            // The fortieth before it, in the block before as often as not.
            let far = begins.and_then(|begins| begins.checked_sub(39));
            let exact =
                |item: &Item| far.is_some_and(|far| item.start as usize == outline.symbols[far].range.start);
            let found = packed.before(offset, 40, exact);
            assert_eq!(found.is_some(), far.is_some(), "{path}: {offset}");
        }
        (outline, packed)
    }

    #[test]
    fn what_was_packed_comes_back() {
        survives(
            "a.rs",
            "impl Größe {\n  fn näher(\n    &self,\n  ) -> u8 { 1 }\n}\nstruct Größe;\nfn main() {}\n",
        );
        survives("a.ts", "export class A { 'quoted key'() {} get b() { return 1 } }\nconst c = () => 1;\n");
        survives("a.go", "package p\nfunc (t *T) M() {}\ntype T struct{ A int }\n");
        survives("a.json", "{\"a\": {\"b\": [1, {\"c\": 2}]}, \"\": 3}");
        survives("a.md", "# One\n\ntext\n\n## Two `code`\n");
        survives("a.py", "");
        let long =
            format!("fn long(\n  {}\n) -> u8 {{ 1 }}\n", "argument: BTreeMap<String, u64>,\n  ".repeat(40));
        let (outline, packed) = survives("a.rs", &long);
        assert!(outline.symbols[0].signature.ends_with('…') && packed.size() < 40);
    }

    #[test]
    fn signatures_over_several_lines_are_slices_too() {
        assert_eq!(spaced("fn a(\n  b: u8,\n) -> u8 {", "fn a( b: u8, ) -> u8"), Some(22));
        assert_eq!(spaced("fn  a()", "fn a"), Some(5));
        assert_eq!(spaced("fna()", "fn a"), None);
        assert_eq!(spaced("fn a", "fn  a"), None);
        assert_eq!(spaced("", ""), None);
    }

    #[test]
    fn our_own_sources_take_few_bytes_a_symbol() {
        let source = include_str!("references.rs");
        let (outline, packed) = survives("references.rs", source);
        assert!(outline.symbols.len() > 10);
        let many: String = (0..90).map(|n| format!("mod m{n} {{\n  fn f() {{}}\n}}\n")).collect();
        let (nested, _) = survives("a.rs", &format!("mod all {{\n{many}}}\n{many}"));
        assert!(nested.symbols.len() > 10 * BLOCK);
        let each = packed.size() / outline.symbols.len();
        assert!(each < 40, "{each} bytes a symbol");
    }
}
