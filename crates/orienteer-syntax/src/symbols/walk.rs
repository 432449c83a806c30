//! One walk over a tree with a language's table in hand, and with a witness where somebody wants to see more.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Act, Container, Found, Site, slice};
use super::table::{Entry, Table};
use super::{Outline, Symbol};
use super::{extent, signature};
use crate::facts::rows::Mark;
use crate::parse::{Limits, ParseError, Parsed, Watch};
use crate::steps::Steps;

/// Symbols nested more deeply are left out: their paths would grow with the square of the text.
const MAX_NESTING: usize = 64;
/// An outline whose names and signatures take more than this is cut.
const MAX_OUTLINE_BYTES: usize = 32 << 20;
/// How many nodes are visited between two looks at the clock.
const NODES_PER_CHECK: usize = 1024;

/// Somebody who looks at the nodes of the same walk: visiting them is what costs.
pub(crate) trait Witness<'t> {
    /// Whether it looks at all.
    const LOOKS: bool;

    /// A node whose kind has a mark, before what stands inside. `false` when nothing inside matters to anybody.
    fn meet(&mut self, mark: &Mark, spot: &Spot<'_, 't>) -> bool;

    /// Whether a node was dealt with already, and what stands inside is not looked at.
    fn is_past(&self, node: Node<'t>) -> bool;

    /// A symbol was added to the outline.
    fn define(&mut self, definition: &Definition<'_, 't>);

    /// What stands inside the symbol has been visited.
    fn close(&mut self, symbol: usize);
}

/// Where the walk is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a, 't> {
    pub(crate) node: Node<'t>,
    /// From the root to the parent.
    pub(crate) above: &'a [Node<'t>],
    /// The innermost symbol around the node, which may be the one that the node defines.
    pub(crate) owner: Option<usize>,
}

/// A symbol with the nodes that it was found by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definition<'a, 't> {
    /// Its number in the outline.
    pub(crate) at: usize,
    pub(crate) symbol: &'a Symbol,
    pub(crate) node: Node<'t>,
    pub(crate) name: Node<'t>,
    /// Where its rule says that the body is, if it says so.
    pub(crate) body: Option<Node<'t>>,
    pub(crate) above: &'a [Node<'t>],
    /// The symbol that encloses it in the text, and its kind.
    pub(crate) within: Option<(usize, K)>,
    /// It stands in a block that adds to a type.
    pub(crate) in_scope: bool,
}

/// Nobody else looks.
impl<'t> Witness<'t> for () {
    const LOOKS: bool = false;

    fn meet(&mut self, _: &Mark, _: &Spot<'_, 't>) -> bool {
        true
    }

    fn is_past(&self, _: Node<'t>) -> bool {
        false
    }

    fn define(&mut self, _: &Definition<'_, 't>) {}

    fn close(&mut self, _: usize) {}
}

/// An open node that changes what stands inside it.
#[derive(Debug, Clone)]
struct Frame {
    depth: usize,
    nesting: usize,
    /// The nearest symbol outside, unless `owner` names a type that is none here.
    symbol: Option<usize>,
    /// The frame was opened by its symbol.
    own: bool,
    owner: Option<Rc<str>>,
    container: Container,
    local: bool,
}

struct Walk<'t, 'l, W> {
    text: &'t str,
    table: &'l Table,
    limits: &'l Limits,
    witness: &'l mut W,
    outline: Outline,
    frames: Vec<Frame>,
    ancestors: Vec<Node<'t>>,
    /// Symbols that name their container by path, to be found once all symbols are known.
    owned: Vec<(usize, Rc<str>)>,
    seen: HashSet<(Option<usize>, String)>,
    bytes: usize,
}

pub(crate) fn walk<'t, W: Witness<'t>>(
    parsed: &'t Parsed<'t>,
    table: &Table,
    limits: &Limits,
    watch: &Watch,
    witness: &mut W,
) -> Result<Outline, ParseError> {
    let root = Frame {
        depth: 0,
        nesting: 0,
        symbol: None,
        own: false,
        owner: None,
        container: Container::Plain,
        local: false,
    };
    let mut walk = Walk {
        text: parsed.text,
        table,
        limits,
        witness,
        outline: Outline::default(),
        frames: vec![root],
        ancestors: Vec::new(),
        owned: Vec::new(),
        seen: HashSet::new(),
        bytes: 0,
    };
    let mut steps = Steps::new(&parsed.tree, table.passed(W::LOOKS));
    let mut visited = 0usize;
    'nodes: loop {
        visited += 1;
        if visited.is_multiple_of(NODES_PER_CHECK) {
            watch.check()?;
        }
        let node = steps.node();
        let entry = table.entry(steps.kind());
        if (entry.act.is_some() || entry.local) && !walk.enter(node, entry) {
            walk.outline.truncated = true;
            break;
        }
        let into = if W::LOOKS && entry.mark.is_set() {
            let owner = walk.frames.last().and_then(|frame| frame.symbol);
            walk.witness.meet(&entry.mark, &Spot { node, above: &walk.ancestors, owner })
        } else {
            !(entry.leaf || W::LOOKS && walk.witness.is_past(node))
        };
        if into && steps.down() {
            walk.ancestors.push(node);
            continue;
        }
        loop {
            walk.leave();
            if steps.on() {
                continue 'nodes;
            }
            if walk.ancestors.pop().is_none() {
                break 'nodes;
            }
        }
    }
    walk.adopt();
    Ok(walk.outline)
}

impl<'t, W: Witness<'t>> Walk<'t, '_, W> {
    /// `false` when the outline is full.
    fn enter(&mut self, node: Node<'t>, entry: &Entry) -> bool {
        let Some(top) = self.frames.last().cloned() else { return false };
        let depth = self.ancestors.len() + 1;
        let mut opened = None;
        let mut room = true;
        match entry.act {
            Some(Act::Define(define)) => define.each(node, entry.name, &mut |found| {
                room = !self.is_full();
                if room {
                    opened = opened.or(self.add(node, &found, &top));
                }
                room
            }),
            Some(Act::Custom(f)) => {
                let found = f(&self.site(node, &top));
                for found in found {
                    if self.is_full() {
                        room = false;
                        break;
                    }
                    if found.scope {
                        self.open_scope(depth, &found, top);
                        return true;
                    }
                    opened = opened.or(self.add(node, &found, &top));
                }
            }
            None => {}
        }
        if !room {
            return false;
        }
        if let Some((symbol, kind)) = opened {
            self.open(depth, symbol, kind, &top, entry);
            return true;
        }
        if entry.local && !top.local {
            self.frames.push(Frame { depth, local: true, own: false, ..top });
        }
        true
    }

    fn leave(&mut self) {
        let depth = self.ancestors.len() + 1;
        while let Some(frame) = self.frames.pop_if(|frame| frame.depth == depth) {
            if W::LOOKS
                && frame.own
                && let Some(symbol) = frame.symbol
            {
                self.witness.close(symbol);
            }
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
            fields: &self.table.fields,
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
            let owner = Some(self.join(&top, &name).into());
            let nesting = top.nesting + 1;
            let container = Container::Type;
            self.frames.push(Frame { depth, nesting, owner, container, local: false, own: false, ..top });
        }
    }

    fn open(&mut self, depth: usize, symbol: usize, kind: K, top: &Frame, entry: &Entry) {
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
        let symbol = Some(symbol);
        self.frames.push(Frame { depth, nesting, symbol, own: true, owner: None, container, local });
    }

    fn join(&self, top: &Frame, name: &str) -> String {
        let symbol = top.symbol.and_then(|at| self.outline.symbols.get(at));
        match top.owner.as_deref().or(symbol.map(|symbol| symbol.name_path.as_str())) {
            Some(base) => [base, "/", name].concat(),
            None => name.to_owned(),
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
                let path = [&owner, "/", name.as_str()].concat();
                self.owned.push((at, owner.into()));
                (None, path)
            }
            None => {
                if let Some(owner) = &top.owner {
                    self.owned.push((at, owner.clone()));
                }
                (top.symbol.filter(|_| top.owner.is_none()), self.join(top, &name))
            }
        };
        let (range, signature) = extent::extent(self.text, self.table, &self.ancestors, node, found);
        self.bytes += name.len() + name_path.len() + signature.len();
        // Without quotes and sigils, where the name is the node without them.
        let whole = extent::clamp(self.text, found.name);
        let name_range = if written.len() == name.len() {
            whole
        } else {
            let place = written.find(&name).map(|at| whole.start + at);
            place.map_or(whole, |start| start..start + name.len())
        };
        self.outline.symbols.push(Symbol { name, kind, name_path, range, name_range, parent, signature });
        if W::LOOKS {
            self.show(at, node, found, top);
        }
        Some((at, kind))
    }

    fn show(&mut self, at: usize, node: Node<'t>, found: &Found<'t>, top: &Frame) {
        let within = top.symbol.and_then(|at| Some((at, self.outline.symbols.get(at)?.kind)));
        let Some(symbol) = self.outline.symbols.get(at) else { return };
        self.witness.define(&Definition {
            at,
            symbol,
            node,
            name: found.name,
            body: found.body,
            above: &self.ancestors,
            within,
            in_scope: top.owner.is_some(),
        });
    }

    /// Gives methods that were written away from their type the type as parent, where the text defines it.
    fn adopt(&mut self) {
        if self.owned.is_empty() {
            return;
        }
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
