//! Where do the trees of many texts lie, one after the other?
//!
//! A tree is some ten thousand small blocks that are all of no use a moment later. Whoever takes many texts apart keeps an
//! [`Arena`]: while it is entered, what the parser asks for on this thread is cut from a few large blocks, and at the end
//! all of it is free at once. An eighth of the time that parsing takes otherwise goes into the heap and into taking trees
//! apart again.
//!
//! Outside of an arena the parser has the heap of the C library, as it would without us. The two are told apart by their
//! addresses, so that it does not matter which block was asked for when.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};
use std::sync::Once;

use crate::wide::Wides;

/// Bytes of the first large block; each that follows is twice as large, up to the last size.
const FIRST: usize = 1 << 20;
const LAST: usize = 64 << 20;
/// So much is kept for the next text.
const KEPT: usize = 8 << 20;
/// What the C library promises of every block.
const ALIGNED: usize = 16;
/// Before each block stands its length, in as much room as leaves the block aligned.
const LENGTH: usize = ALIGNED / 2;
/// Blocks up to this length are kept apart by steps of [`ALIGNED`], longer ones by powers of two.
const SMALL: usize = 1024;
const SMALL_KINDS: usize = SMALL / ALIGNED + 1;

thread_local! {
    static ENTERED: Cell<*mut Arena> = const { Cell::new(null_mut()) };
}

/// See the module. It belongs to one thread at a time.
#[derive(Debug)]
pub struct Arena {
    chunks: Vec<Chunk>,
    /// The chunk that blocks are cut from, and what is left of it.
    current: usize,
    at: usize,
    end: usize,
    /// Freed blocks by length; each begins with the address of the next.
    small: [*mut u8; SMALL_KINDS],
    large: [*mut u8; usize::BITS as usize],
    /// Trees point to their grammar, so it lives as long.
    pub(crate) wides: Wides,
}

#[derive(Debug)]
struct Chunk {
    start: NonNull<u8>,
    layout: Layout,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            current: 0,
            at: 0,
            end: 0,
            small: [null_mut(); SMALL_KINDS],
            large: [null_mut(); usize::BITS as usize],
            wides: Wides::default(),
        }
    }
}

/// As long as this lives, the parser has its memory from an arena. Everything the parser made meanwhile has to be gone, or
/// forgotten, before it is.
pub(crate) struct Entered<'a> {
    arena: *mut Arena,
    arena_is_lent: PhantomData<&'a mut Arena>,
}

impl Arena {
    /// Enters it, unless the thread is in one already: then that one goes on.
    pub(crate) fn enter(&mut self) -> Entered<'_> {
        install();
        let arena: *mut Self = self;
        let is_first = ENTERED.with(|entered| {
            let is_first = entered.get().is_null();
            if is_first {
                entered.set(arena);
            }
            is_first
        });
        Entered { arena: if is_first { arena } else { null_mut() }, arena_is_lent: PhantomData }
    }
}

#[allow(unsafe_code, reason = "the parser is given memory by address, as every allocator does")]
mod blocks {
    use super::*;

    impl Drop for Entered<'_> {
        fn drop(&mut self) {
            if self.arena.is_null() {
                return;
            }
            ENTERED.with(|entered| entered.set(null_mut()));
            // SAFETY: it was borrowed for as long as this lives, and nobody else has its address any more.
            unsafe { (*self.arena).clear() };
        }
    }

    impl Drop for Chunk {
        fn drop(&mut self) {
            // SAFETY: allocated with this layout, and freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }

    impl Chunk {
        fn new(bytes: usize) -> Self {
            let Ok(layout) = Layout::from_size_align(bytes, ALIGNED) else { std::process::abort() };
            // SAFETY: the size is not zero.
            let start = NonNull::new(unsafe { alloc(layout) });
            Self { start: start.unwrap_or_else(|| handle_alloc_error(layout)), layout }
        }

        fn begin(&self) -> usize {
            self.start.as_ptr() as usize
        }

        fn has(&self, address: usize) -> bool {
            address.wrapping_sub(self.begin()) < self.layout.size()
        }
    }

    impl Arena {
        /// A block of at least so many bytes.
        #[inline]
        unsafe fn take(&mut self, bytes: usize) -> *mut u8 {
            let length = rounded(bytes);
            let free = self.list(length);
            if !free.is_null() {
                // SAFETY: a freed block of this length, whose first bytes hold the address of the next.
                *self.list_mut(length) = unsafe { free.cast::<*mut u8>().read() };
                return free;
            }
            if self.end - self.at < length {
                self.more(length);
            }
            let block = self.at as *mut u8;
            self.at += length;
            // SAFETY: `length` bytes of the current chunk, which begin eight before a multiple of sixteen.
            unsafe {
                block.cast::<usize>().write(length);
                block.add(LENGTH)
            }
        }

        #[inline]
        unsafe fn give_back(&mut self, block: *mut u8) {
            // SAFETY: the caller gives a block of this arena, which has its length before it.
            let length = unsafe { length_of(block) };
            let list = self.list_mut(length);
            // SAFETY: a block has room for an address, and nobody uses it any more.
            unsafe { block.cast::<*mut u8>().write(*list) };
            *list = block;
        }

        #[inline]
        fn list(&self, length: usize) -> *mut u8 {
            if length <= SMALL { self.small[length / ALIGNED] } else { self.large[power(length)] }
        }

        #[inline]
        fn list_mut(&mut self, length: usize) -> &mut *mut u8 {
            if length <= SMALL { &mut self.small[length / ALIGNED] } else { &mut self.large[power(length)] }
        }

        /// Goes on with the next chunk that has room for a block.
        #[cold]
        fn more(&mut self, length: usize) {
            let needed = length + LENGTH;
            let next =
                (self.current + 1..self.chunks.len()).find(|at| self.chunks[*at].layout.size() >= needed);
            self.current = next.unwrap_or_else(|| {
                let wanted = self.chunks.last().map_or(FIRST, |last| (2 * last.layout.size()).min(LAST));
                self.chunks.push(Chunk::new(wanted.max(needed)));
                self.chunks.len() - 1
            });
            self.cut();
        }

        /// Begins with the current chunk.
        fn cut(&mut self) {
            let Some(chunk) = self.chunks.get(self.current) else { return };
            self.at = chunk.begin() + ALIGNED - LENGTH;
            self.end = chunk.begin() + chunk.layout.size();
        }

        #[inline]
        fn has(&self, address: usize) -> bool {
            self.chunks.get(self.current).is_some_and(|chunk| chunk.has(address))
                || self.chunks.iter().any(|chunk| chunk.has(address))
        }

        /// Forgets everything that was cut from it.
        fn clear(&mut self) {
            let mut kept = 0;
            self.chunks.retain(|chunk| {
                kept += chunk.layout.size();
                kept <= KEPT
            });
            (self.current, self.at, self.end) = (0, 0, 0);
            self.cut();
            self.small = [null_mut(); SMALL_KINDS];
            self.large = [null_mut(); usize::BITS as usize];
        }
    }

    /// The length of a block with room for so many bytes: such that the next one begins as this one does.
    #[inline]
    fn rounded(bytes: usize) -> usize {
        let Some(length) = bytes.checked_add(LENGTH + ALIGNED - 1) else { std::process::abort() };
        let length = length & !(ALIGNED - 1);
        if length <= SMALL {
            return length.max(2 * ALIGNED);
        }
        length.checked_next_power_of_two().unwrap_or_else(|| std::process::abort())
    }

    #[inline]
    fn power(length: usize) -> usize {
        length.trailing_zeros() as usize
    }

    unsafe fn length_of(block: *const u8) -> usize {
        // SAFETY: by the caller.
        unsafe { block.sub(LENGTH).cast::<usize>().read() }
    }

    /// The arena that this thread is in.
    #[inline]
    fn entered() -> *mut Arena {
        ENTERED.with(Cell::get)
    }

    unsafe extern "C" fn allocate(bytes: usize) -> *mut c_void {
        let arena = entered();
        // SAFETY: an arena that is entered lives and is used by this thread alone.
        match unsafe { arena.as_mut() } {
            // SAFETY: as above.
            Some(arena) => unsafe { arena.take(bytes).cast() },
            // SAFETY: the C library's own.
            None => found(unsafe { libc::malloc(bytes) }, bytes),
        }
    }

    unsafe extern "C" fn allocate_zeroed(count: usize, each: usize) -> *mut c_void {
        // SAFETY: as in `allocate`.
        match unsafe { entered().as_mut() } {
            Some(arena) => {
                let Some(bytes) = count.checked_mul(each) else { std::process::abort() };
                // SAFETY: the block has so many bytes at least.
                unsafe {
                    let block = arena.take(bytes);
                    block.write_bytes(0, bytes);
                    block.cast()
                }
            }
            // SAFETY: the C library's own.
            None => found(unsafe { libc::calloc(count, each) }, count.saturating_mul(each)),
        }
    }

    unsafe extern "C" fn resize(block: *mut c_void, bytes: usize) -> *mut c_void {
        if block.is_null() {
            // SAFETY: as for a new block.
            return unsafe { allocate(bytes) };
        }
        // SAFETY: as in `allocate`.
        match unsafe { entered().as_mut() } {
            Some(arena) if arena.has(block as usize) => {
                let block = block.cast::<u8>();
                // SAFETY: a block of this arena with its length before it; the new one does not overlap it.
                unsafe {
                    let room = length_of(block) - LENGTH;
                    if bytes <= room {
                        return block.cast();
                    }
                    let other = arena.take(bytes);
                    other.copy_from_nonoverlapping(block, room);
                    arena.give_back(block);
                    other.cast()
                }
            }
            // SAFETY: not of an arena, so the C library's.
            _ => found(unsafe { libc::realloc(block, bytes) }, bytes),
        }
    }

    unsafe extern "C" fn free(block: *mut c_void) {
        if block.is_null() {
            return;
        }
        // SAFETY: as in `allocate`.
        match unsafe { entered().as_mut() } {
            // SAFETY: a block of this arena.
            Some(arena) if arena.has(block as usize) => unsafe { arena.give_back(block.cast()) },
            // SAFETY: not of an arena, so the C library's.
            _ => unsafe { libc::free(block) },
        }
    }

    /// The parser cannot do without.
    fn found(block: *mut c_void, bytes: usize) -> *mut c_void {
        if block.is_null() && bytes > 0 {
            handle_alloc_error(Layout::from_size_align(bytes, ALIGNED).unwrap_or(Layout::new::<usize>()));
        }
        block
    }

    /// Tells the parser whom to ask. What it has from the C library already goes back there.
    pub(super) fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let allocator =
                tree_sitter::Allocator { malloc: allocate, calloc: allocate_zeroed, realloc: resize, free };
            // SAFETY: one family of functions, aligned as the C library aligns, never null; see `install` outside.
            unsafe { tree_sitter::set_allocator(Some(allocator)) };
        });
    }
}

/// Called whenever somebody asks for a grammar, without which the parser does nothing: so before it does anything. A block
/// that it had before all the same would have come from the C library, and would go back there.
pub(crate) fn install() {
    blocks::install();
}

#[cfg(test)]
mod tests {
    use orienteer_base::{Cancel, Language};

    use super::*;
    use crate::facts::{examine, examine_in};
    use crate::{Limits, parse};

    fn rust() -> &'static Language {
        Language::by_word("rust").unwrap()
    }

    fn text(functions: usize) -> String {
        (0..functions)
            .map(|number| format!("fn f{number}(a: u8) -> u8 {{ g(a, [1, 2, {number}]) }}\n"))
            .collect()
    }

    #[test]
    fn what_is_found_does_not_depend_on_where_the_tree_lies() {
        let mut arena = Arena::default();
        for functions in [1, 10, 20_000, 3, 0, 2_000] {
            let text = text(functions);
            let limits = Limits::default();
            let inside = examine_in(&mut arena, &text, rust(), &limits, &Cancel::new()).unwrap();
            assert_eq!(inside, examine(&text, rust(), &limits, &Cancel::new()).unwrap());
            assert_eq!(inside.outline.symbols.len(), functions);
        }
    }

    #[test]
    fn little_is_kept_for_the_next_text() {
        let mut arena = Arena::default();
        let limits = Limits::default();
        examine_in(&mut arena, &text(40_000), rust(), &limits, &Cancel::new()).unwrap();
        let kept: usize = arena.chunks.iter().map(|chunk| chunk.layout.size()).sum();
        assert!(kept > 0 && kept <= KEPT, "{kept}");
    }

    #[test]
    fn trees_of_before_live_on_and_are_freed_inside_and_outside() {
        let limits = Limits::default();
        let (one, two) = (text(300), text(200));
        let before = parse(&one, rust(), &limits, &Cancel::new()).unwrap();
        let other = parse(&two, rust(), &limits, &Cancel::new()).unwrap();
        let mut arena = Arena::default();
        let entered = arena.enter();
        let inside = parse(&two, rust(), &limits, &Cancel::new()).unwrap();
        assert_eq!(inside.tree.root_node().child_count(), 200);
        // One from the C library goes back there while the arena is entered.
        drop(other);
        drop(inside);
        drop(entered);
        assert_eq!(before.tree.root_node().child_count(), 300);
        assert!(ENTERED.with(Cell::get).is_null());
    }

    #[test]
    fn a_second_arena_on_the_same_thread_leaves_the_first_one_alone() {
        let (mut one, mut two) = (Arena::default(), Arena::default());
        let outer = one.enter();
        let text = text(100);
        let inner = examine_in(&mut two, &text, rust(), &Limits::default(), &Cancel::new()).unwrap();
        assert_eq!(inner.outline.symbols.len(), 100);
        assert!(!ENTERED.with(Cell::get).is_null());
        drop(outer);
        assert!(two.chunks.is_empty() && !one.chunks.is_empty());
    }

    #[test]
    fn blocks_are_aligned_and_do_not_overlap() {
        let mut arena = Arena::default();
        let _entered = arena.enter();
        let grammar = crate::grammar::grammar(rust()).unwrap();
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&grammar).unwrap();
        // Long lists make long blocks: more than a chunk has, and grown by steps.
        let list = format!("const A: [u8; 9] = [{}];", "1, ".repeat(200_000));
        let tree = parser.parse(&list, None).unwrap();
        assert!(!tree.root_node().has_error());
        let sum: usize = tree.root_node().descendant_count();
        assert!(sum > 400_000, "{sum}");
    }
}
