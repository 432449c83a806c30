//! One walk over a tree with a language's table in hand.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Act, Container, Found, Site, slice};
use super::table::{Entry, Table};
use super::{Outline, Symbol};
use super::{extent, signature};
use crate::parse::{Limits, ParseError, Parsed, Watch};

/// Symbols nested more deeply are left out: their paths would grow with the square of the text.
const MAX_NESTING: usize = 64;
/// An outline whose names and signatures take more than this is cut.
const MAX_OUTLINE_BYTES: usize = 32 << 20;
/// How many nodes are visited between two looks at the clock.
const NODES_PER_CHECK: usize = 1024;

/// An open node that changes what stands inside it.
#[derive(Debug, Clone)]
struct Frame {
    depth: usize,
    nesting: usize,
    /// The nearest symbol outside, unless `owner` names a type that is none here.
    symbol: Option<usize>,
    owner: Option<Rc<str>>,
    container: Container,
    local: bool,
}

struct Walk<'t, 'l> {
    text: &'t str,
    table: &'l Table,
    limits: &'l Limits,
    outline: Outline,
    frames: Vec<Frame>,
    ancestors: Vec<Node<'t>>,
    /// Symbols that name their container by path, to be found once all symbols are known.
    owned: Vec<(usize, Rc<str>)>,
    seen: HashSet<(Option<usize>, String)>,
    bytes: usize,
}

pub(super) fn walk<'t>(
    parsed: &'t Parsed<'t>,
    table: &Table,
    limits: &Limits,
    watch: &Watch,
) -> Result<Outline, ParseError> {
    let root =
        Frame { depth: 0, nesting: 0, symbol: None, owner: None, container: Container::Plain, local: false };
    let mut walk = Walk {
        text: parsed.text,
        table,
        limits,
        outline: Outline::default(),
        frames: vec![root],
        ancestors: Vec::new(),
        owned: Vec::new(),
        seen: HashSet::new(),
        bytes: 0,
    };
    let mut cursor = parsed.tree.walk();
    let mut visited = 0usize;
    'nodes: loop {
        visited += 1;
        if visited.is_multiple_of(NODES_PER_CHECK) {
            watch.check()?;
        }
        let node = cursor.node();
        if !walk.enter(node) {
            walk.outline.truncated = true;
            break;
        }
        if cursor.goto_first_child() {
            walk.ancestors.push(node);
            continue;
        }
        loop {
            walk.leave();
            if cursor.goto_next_sibling() {
                continue 'nodes;
            }
            if !cursor.goto_parent() {
                break 'nodes;
            }
            walk.ancestors.pop();
        }
    }
    walk.adopt();
    Ok(walk.outline)
}

impl<'t> Walk<'t, '_> {
    /// `false` when the outline is full.
    fn enter(&mut self, node: Node<'t>) -> bool {
        let entry = self.table.entry(node.kind_id());
        if entry.act.is_none() && !entry.local {
            return true;
        }
        let Some(top) = self.frames.last().cloned() else { return false };
        let depth = self.ancestors.len() + 1;
        let found = match entry.act {
            Some(Act::Define(define)) => define.found(node),
            Some(Act::Custom(f)) => f(&self.site(node, &top)),
            None => Vec::new(),
        };
        let mut opened = None;
        for found in found {
            if self.is_full() {
                return false;
            }
            if found.scope {
                self.open_scope(depth, &found, top);
                return true;
            }
            let added = self.add(node, &found, &top);
            opened = opened.or(added);
        }
        if let Some((symbol, kind)) = opened {
            self.open(depth, symbol, kind, &top, entry);
            return true;
        }
        if entry.local && !top.local {
            self.frames.push(Frame { depth, local: true, ..top });
        }
        true
    }

    fn leave(&mut self) {
        let depth = self.ancestors.len() + 1;
        while self.frames.last().is_some_and(|frame| frame.depth == depth) {
            self.frames.pop();
        }
    }

    fn is_full(&self) -> bool {
        self.outline.symbols.len() >= self.limits.max_symbols || self.bytes > MAX_OUTLINE_BYTES
    }

    fn site<'a>(&'a self, node: Node<'t>, top: &'a Frame) -> Site<'a, 't> {
        let symbol = top.symbol.and_then(|at| self.outline.symbols.get(at));
        let owner = top.owner.as_deref().map(|path| path.rsplit('/').next().unwrap_or(path));
        Site {
            node,
            text: self.text,
            ancestors: &self.ancestors,
            container: top.container,
            local: top.local,
            within: symbol.filter(|_| top.owner.is_none()).map(|symbol| symbol.kind),
            enclosing: owner.or(symbol.map(|symbol| symbol.name.as_str())),
        }
    }

    fn open_scope(&mut self, depth: usize, found: &Found<'t>, top: Frame) {
        let name = signature::name(found.text.as_deref().unwrap_or_default());
        if !name.is_empty() && top.nesting < MAX_NESTING {
            let owner = Some(self.join(&top, &name));
            let nesting = top.nesting + 1;
            let container = Container::Type;
            self.frames.push(Frame { depth, nesting, owner, container, local: false, ..top });
        }
    }

    fn open(&mut self, depth: usize, symbol: usize, kind: K, top: &Frame, entry: Entry) {
        let container = match kind {
            K::Class | K::Interface | K::Struct | K::Trait | K::Enum | K::Union => Container::Type,
            K::Function | K::Method | K::Constructor | K::Macro => Container::Code,
            _ => Container::Plain,
        };
        let local = match container {
            Container::Type => false,
            Container::Code => true,
            Container::Plain => top.local || entry.local,
        };
        let nesting = top.nesting + 1;
        self.frames.push(Frame { depth, nesting, symbol: Some(symbol), owner: None, container, local });
    }

    fn join(&self, top: &Frame, name: &str) -> Rc<str> {
        let symbol = top.symbol.and_then(|at| self.outline.symbols.get(at));
        match top.owner.as_deref().or(symbol.map(|symbol| symbol.name_path.as_str())) {
            Some(base) => format!("{base}/{name}").into(),
            None => name.into(),
        }
    }

    fn add(&mut self, node: Node<'t>, found: &Found<'t>, top: &Frame) -> Option<(usize, K)> {
        if found.value && top.local {
            return None;
        }
        if top.nesting >= MAX_NESTING {
            self.outline.truncated = true;
            return None;
        }
        let written = slice(self.text, found.name);
        let name = signature::name(found.text.as_deref().unwrap_or(written));
        if name.is_empty() || (found.once && !self.seen.insert((top.symbol, name.clone()))) {
            return None;
        }
        let in_type = found.owner.is_some() || top.container == Container::Type;
        let kind = match found.kind {
            K::Function if in_type => K::Method,
            K::Variable if in_type => K::Field,
            kind => kind,
        };
        let at = self.outline.symbols.len();
        let (parent, name_path) = match &found.owner {
            Some(owner) => {
                let owner = self.join(top, &signature::name(owner));
                let path = format!("{owner}/{name}");
                self.owned.push((at, owner));
                (None, path)
            }
            None => {
                if let Some(owner) = &top.owner {
                    self.owned.push((at, owner.clone()));
                }
                (top.symbol.filter(|_| top.owner.is_none()), self.join(top, &name).to_string())
            }
        };
        let (range, signature) = extent::extent(self.text, self.table, &self.ancestors, node, found);
        self.bytes += name.len() + name_path.len() + signature.len();
        // Without quotes and sigils, where the name is the node without them.
        let whole = extent::clamp(self.text, found.name);
        let name_range = match written.find(&name) {
            Some(at) => whole.start + at..whole.start + at + name.len(),
            None => whole,
        };
        self.outline.symbols.push(Symbol { name, kind, name_path, range, name_range, parent, signature });
        Some((at, kind))
    }

    /// Gives methods that were written away from their type the type as parent, where the text defines it.
    fn adopt(&mut self) {
        let mut types: HashMap<&str, usize> = HashMap::new();
        for (at, symbol) in self.outline.symbols.iter().enumerate() {
            if !matches!(symbol.kind, K::Function | K::Method | K::Constructor) {
                types.entry(&symbol.name_path).or_insert(at);
            }
        }
        let parents: Vec<_> =
            self.owned.iter().map(|(at, owner)| (*at, types.get(&**owner).copied())).collect();
        for (at, parent) in parents {
            if let Some(symbol) = self.outline.symbols.get_mut(at) {
                symbol.parent = parent.filter(|parent| *parent != at);
            }
        }
    }
}
