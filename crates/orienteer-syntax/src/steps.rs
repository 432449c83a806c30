//! Which node comes next?
//!
//! Down and on through a tree, past tokens that nobody asks for. The parser's own cursor takes three times as long.

use std::marker::PhantomData;

use tree_sitter::{Node, Tree};

/// See the module. Stands at one node, the root at first.
pub(crate) struct Steps<'t, 'p> {
    raw: raw::Steps,
    tree: PhantomData<&'t Tree>,
    passed: PhantomData<&'p [bool]>,
}

impl<'t, 'p> Steps<'t, 'p> {
    /// `passed`: for each kind of node, whether it is passed over with what stands inside.
    pub(crate) fn new(tree: &'t Tree, passed: &'p [bool]) -> Self {
        Self { raw: raw::Steps::begin(tree, passed), tree: PhantomData, passed: PhantomData }
    }

    pub(crate) fn kind(&self) -> u16 {
        self.raw.kind
    }

    pub(crate) fn node(&self) -> Node<'t> {
        self.raw.node()
    }

    /// To the first child; `false` where there is none.
    pub(crate) fn down(&mut self) -> bool {
        self.raw.down()
    }

    /// To the next child of the node that was entered last; `false` at its end, where that node is left: what comes next is
    /// next to it.
    pub(crate) fn on(&mut self) -> bool {
        self.raw.on()
    }
}

#[allow(unsafe_code, reason = "the parser's trees are structures of C")]
mod raw {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;

    use tree_sitter::ffi::{TSNode, TSTree};
    use tree_sitter::{Node, Tree};

    /// As in `parser/steps.c`.
    #[repr(C)]
    pub(super) struct Steps {
        tree: *const TSTree,
        passed: *const bool,
        kinds: u32,
        levels: *mut c_void,
        count: u32,
        room: u32,
        node: TSNode,
        pub(super) kind: u16,
    }

    unsafe extern "C" {
        fn orienteer_steps_begin(steps: *mut Steps, root: TSNode, passed: *const bool, kinds: u32);
        fn orienteer_steps_end(steps: *mut Steps);
        fn orienteer_steps_next(steps: *mut Steps) -> bool;
        fn orienteer_steps_into(steps: *mut Steps) -> bool;
    }

    impl Steps {
        pub(super) fn begin(tree: &Tree, passed: &[bool]) -> Self {
            let mut steps = MaybeUninit::uninit();
            let kinds = u32::try_from(passed.len()).unwrap_or(u32::MAX);
            // SAFETY: the root of a tree; whoever calls keeps the tree and the list for as long as there are steps. All
            // fields are written.
            unsafe {
                orienteer_steps_begin(
                    steps.as_mut_ptr(),
                    tree.root_node().into_raw(),
                    passed.as_ptr(),
                    kinds,
                );
                steps.assume_init()
            }
        }

        pub(super) fn node<'t>(&self) -> Node<'t> {
            // SAFETY: a node of the tree, which lives for as long as the caller says.
            unsafe { Node::from_raw(self.node) }
        }

        pub(super) fn down(&mut self) -> bool {
            // SAFETY: begun, and not ended.
            unsafe { orienteer_steps_into(self) }
        }

        pub(super) fn on(&mut self) -> bool {
            // SAFETY: begun, and not ended.
            unsafe { orienteer_steps_next(self) }
        }
    }

    impl Drop for Steps {
        fn drop(&mut self) {
            // SAFETY: once, at the end.
            unsafe { orienteer_steps_end(self) };
        }
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    use super::*;
    use crate::grammar::{grammar, supported};

    /// Each is code in some languages and wrong in the others, and trees of both are wanted.
    const TEXTS: [&str; 6] = [
        include_str!("../parser/steps.c"),
        include_str!("shown/typescript.rs"),
        include_str!("../Cargo.toml"),
        "@a\nclass B(C):\n    \"\"\"Doc.\"\"\"\n    async def d(self, *e, f: int = 1) -> str:\n        return f'{e} {{' if f else [g for g in self]\n",
        "<p class=\"a\">b<br/></p>\n<script>let {a, ...b} = async (c) => { `${d}`; /e/g.f?.(1) }</script>\n",
        "",
    ];

    /// A node, how deep it lies, and where, as far as a cursor can tell.
    type Seen = (usize, u16, usize, std::ops::Range<usize>, tree_sitter::Point);

    fn seen(depth: usize, node: Node<'_>) -> Seen {
        (depth, node.kind_id(), node.id(), node.byte_range(), node.start_position())
    }

    /// What the parser's own cursor sees, without the kinds that are passed over.
    fn by_cursor(tree: &Tree, passed: &[bool]) -> Vec<Seen> {
        let (mut cursor, mut list, mut depth) = (tree.walk(), Vec::new(), 0);
        loop {
            let node = cursor.node();
            let is_passed = depth > 0 && passed.get(usize::from(node.kind_id())) == Some(&true);
            if !is_passed {
                list.push(seen(depth, node));
                if cursor.goto_first_child() {
                    depth += 1;
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return list;
                }
                depth -= 1;
            }
        }
    }

    fn by_steps(tree: &Tree, passed: &[bool]) -> Vec<Seen> {
        let (mut steps, mut list, mut depth) = (Steps::new(tree, passed), Vec::new(), 0);
        loop {
            assert_eq!(steps.kind(), steps.node().kind_id());
            list.push(seen(depth, steps.node()));
            if steps.down() {
                depth += 1;
                continue;
            }
            while !steps.on() {
                if depth == 0 {
                    return list;
                }
                depth -= 1;
            }
        }
    }

    #[test]
    fn every_node_is_met_as_the_cursor_meets_it() {
        for language in supported() {
            let grammar = grammar(language).unwrap();
            let mut parser = Parser::new();
            parser.set_language(&grammar).unwrap();
            let kinds = grammar.node_kind_count();
            let none = vec![false; kinds];
            let signs: Vec<bool> = (0..kinds).map(|kind| !grammar.node_kind_is_named(kind as u16)).collect();
            let odd: Vec<bool> = (0..kinds).map(|kind| kind % 3 == 1).collect();
            for text in TEXTS {
                let tree = parser.parse(text, None).unwrap();
                for passed in [&none, &signs, &odd] {
                    let (ours, theirs) = (by_steps(&tree, passed), by_cursor(&tree, passed));
                    assert!(ours == theirs, "{} of {:.40}", language.id, text);
                    assert!(text.is_empty() || !theirs.is_empty());
                }
            }
        }
    }

    #[test]
    fn a_node_without_anything_to_see_inside_is_not_entered() {
        let grammar = grammar(orienteer_base::Language::by_word("json").unwrap()).unwrap();
        let mut parser = Parser::new();
        parser.set_language(&grammar).unwrap();
        let tree = parser.parse("[,]", None).unwrap();
        let all = vec![true; grammar.node_kind_count()];
        let mut steps = Steps::new(&tree, &all);
        assert!(!steps.down());
        assert_eq!(steps.node(), tree.root_node());
        assert!(!steps.on());
    }

    #[test]
    fn deep_trees_are_no_deep_calls() {
        let grammar = grammar(orienteer_base::Language::by_word("json").unwrap()).unwrap();
        let mut parser = Parser::new();
        parser.set_language(&grammar).unwrap();
        let tree = parser.parse("[".repeat(50_000) + &"]".repeat(50_000), None).unwrap();
        let deepest = by_steps(&tree, &[]).into_iter().map(|(depth, ..)| depth).max();
        assert!(deepest >= Some(50_000), "{deepest:?}");
    }
}
