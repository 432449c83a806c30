//! Who calls this, whom does it call, what is it made of, what is made of it?

use std::collections::HashSet;
use std::path::PathBuf;

use orienteer_base::ask::{CallDirection, CallsQuery, SnippetSpec, TypeDirection, TypesQuery};
use orienteer_base::code::{Hierarchy, HierarchyItem};
use orienteer_base::{Answer, Cancel, ErrorKind, Position, Problem, SymbolKind};
use orienteer_lsp::command::{CallItem, TypeItem};
use orienteer_lsp::{Failure, Lease, Patience, Seen, Spot};

use crate::Session;
use crate::answering::{frame, not_files, unreadable};
use crate::failure::problem;
use crate::known::Known;
use crate::resolve::Pinned;
use crate::scenery::Scenery;

/// Items that are followed in all; wider hierarchies are cut and say so.
const MOST_ASKED: usize = 300;

/// Items for which files are opened, where nobody lists them.
const MOST_OPENED_FOR: usize = 8;

/// An item as the servers give it.
#[derive(Debug, Clone)]
struct Step {
    name: String,
    kind: SymbolKind,
    spot: Spot,
    sites: Vec<Spot>,
    depth: u32,
    root: usize,
    relation: Option<&'static str>,
    cycle: bool,
}

impl Session {
    /// Callers or callees, to a depth.
    pub async fn call_hierarchy(
        &self,
        query: CallsQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Hierarchy>, Problem> {
        let pinned = self.pin(&query.target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let file = pinned.file.absolute().to_path_buf();
        let lease = self.lease(&file).await.map_err(problem)?;
        let prepared = lease.prepare_calls(&file, pinned.position, &patience).await.map_err(problem)?;
        if prepared.value.is_empty() {
            return Err(nothing(&lease, &prepared.seen, &pinned, &patience, "function").await);
        }
        let walked =
            calls(self, &lease, &prepared.value, &query, &patience, cancel).await.map_err(problem)?;
        let mut seen = prepared.seen.and(walked.seen);
        let lines = walked.steps.iter().flat_map(|step| step.sites.iter().chain([&step.spot])).collect();
        seen.needs_trust = self.unexpanded(&lease, pinned.word.as_deref(), lines, cancel).await?;
        let mut answer = frame(&lease, &seen, pinned.warnings);
        let roots = prepared.value.iter().map(|root| step(&root.name, root.kind, &root.spot)).collect();
        if walked.cut {
            answer.completeness = answer.completeness.and(capped());
        }
        let value = self.items(roots, walked.steps, query.window, query.snippet, cancel).await?;
        Ok(answer.map(|()| value))
    }

    /// Supertypes or subtypes, to a depth.
    pub async fn type_hierarchy(
        &self,
        query: TypesQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Hierarchy>, Problem> {
        let pinned = self.pin(&query.target, cancel).await?;
        let patience = self.patience(query.wait, cancel);
        let file = pinned.file.absolute().to_path_buf();
        let lease = self.lease(&file).await.map_err(problem)?;
        let prepared = match lease.prepare_types(&file, pinned.position, &patience).await {
            Ok(prepared) => prepared,
            Err(Failure::Unsupported { .. }) => {
                return self.types_by_implementation(&lease, &pinned, &query, &patience, cancel).await;
            }
            Err(failure) => return Err(problem(failure)),
        };
        let Some(root) = prepared.value.first().cloned() else {
            return Err(nothing(&lease, &prepared.seen, &pinned, &patience, "type").await);
        };
        let walked = types(self, &lease, &root, &query, &patience, cancel).await.map_err(problem)?;
        let mut seen = prepared.seen.and(walked.seen);
        let lines = walked.steps.iter().map(|step| &step.spot).collect();
        seen.needs_trust = self.unexpanded(&lease, pinned.word.as_deref(), lines, cancel).await?;
        let mut answer = frame(&lease, &seen, pinned.warnings);
        if walked.cut {
            answer.completeness = answer.completeness.and(capped());
        }
        let roots = vec![step(&root.name, root.kind, &root.spot)];
        let value = self.items(roots, walked.steps, query.window, None, cancel).await?;
        Ok(answer.map(|()| value))
    }

    /// Servers without type hierarchies often know implementations: subtypes of one step. What they do not know is
    /// said, not left out.
    async fn types_by_implementation(
        &self,
        lease: &Lease,
        pinned: &Pinned,
        query: &TypesQuery,
        patience: &Patience,
        cancel: &Cancel,
    ) -> Result<Answer<Hierarchy>, Problem> {
        let file = pinned.file.absolute().to_path_buf();
        let unsupported = || Failure::Unsupported {
            server: lease.server_id().to_owned(),
            method: "textDocument/prepareTypeHierarchy",
        };
        if query.direction == TypeDirection::Supertypes {
            return Err(problem(unsupported()));
        }
        let relation = orienteer_base::ask::Relation::Implementation;
        let lacks_list = lease.lacks_list(&file);
        let known =
            if lacks_list { self.make_known(lease, pinned, patience, cancel).await } else { Known::All };
        let mut heard = match lease.definition(&file, pinned.position, relation, patience).await {
            Err(Failure::Unsupported { .. }) => return Err(problem(unsupported())),
            heard => heard.map_err(problem)?,
        };
        let word = pinned.word.as_deref();
        let why = self.unlisted(lease, known, word, None::<Vec<PathBuf>>, patience);
        heard.seen.lacks(why.await);
        known.note(&mut heard.seen);
        let lines = heard.value.iter().collect();
        heard.seen.needs_trust = self.unexpanded(lease, word, lines, cancel).await?;
        let mut answer = frame(lease, &heard.seen, pinned.warnings.clone());
        let message = format!(
            "{} has no type hierarchies: direct implementations are shown, supertypes and further steps are not known",
            lease.server_id()
        );
        answer.warnings.push(orienteer_base::answer::Warning::new("method_unsupported", message));
        answer.completeness =
            answer.completeness.and(orienteer_base::Completeness::partial(orienteer_base::Reason::Heuristic));
        let position = pinned.position;
        let window = query.window;
        let name = pinned.word.clone().unwrap_or_default();
        let value = self
            .paint(cancel, move |scenery| {
                let own = scenery.symbol_at(&file, position);
                let known = own.as_ref().and_then(|own| {
                    let text = &scenery.file(&file)?.text;
                    Some(text.lines.range(&text.text, own.name_range.clone()))
                });
                let range = known.unwrap_or(orienteer_base::Range { start: position, end: position });
                let here = Spot { path: file.clone(), range, whole: None, unread: false };
                let root = step(&name, own.map_or(SymbolKind::Interface, |own| own.kind), &here);
                let others = |spot: &&Spot| spot.path != here.path || spot.range.start != range.start;
                let steps = heard.value.iter().filter(others).map(|spot| {
                    let range = scenery.name_range(spot);
                    let (name, kind) = named(scenery, &spot.path, range).unwrap_or_default();
                    {
                        let spot = Spot { range, ..spot.clone() };
                        let kind = kind.unwrap_or(SymbolKind::Class);
                        Step { depth: 1, relation: Some("subtype"), ..step(&name, kind, &spot) }
                    }
                });
                let steps: Vec<Step> = steps.collect();
                let total_count = steps.len();
                let shown = steps.iter().skip(window.skip).take(window.limit);
                let items = shown.map(|step| item(scenery, step, None)).collect();
                Ok(Hierarchy { roots: vec![item(scenery, &root, None)], items, total_count })
            })
            .await?;
        Ok(answer.map(|()| value))
    }

    async fn items(
        &self,
        roots: Vec<Step>,
        steps: Vec<Step>,
        window: orienteer_base::ask::Window,
        snippet: Option<SnippetSpec>,
        cancel: &Cancel,
    ) -> Result<Hierarchy, Problem> {
        self.paint(cancel, move |scenery| {
            let total_count = steps.len();
            let shown = steps.iter().skip(window.skip).take(window.limit);
            let items = shown.map(|step| item(scenery, step, snippet)).collect();
            let roots = roots.iter().map(|root| item(scenery, root, snippet)).collect();
            Ok(Hierarchy { roots, items, total_count })
        })
        .await
    }
}

/// The name at a place and what kind of thing it is: a definition, or in `impl Shape for Circle` the type that is
/// defined elsewhere in the file.
fn named(
    scenery: &mut Scenery<'_>,
    path: &std::path::Path,
    range: orienteer_base::Range,
) -> Option<(String, Option<SymbolKind>)> {
    if let Some(known) = scenery.symbol_at(path, range.start) {
        return Some((known.name, Some(known.kind)));
    }
    let file = scenery.file(path)?;
    let name = file.text.text.get(file.offset(range.start)?..file.offset(range.end)?)?;
    let kind = file.symbols().iter().find(|symbol| symbol.name == name).map(|symbol| symbol.kind);
    Some((name.to_owned(), kind))
}

fn capped() -> orienteer_base::Completeness {
    orienteer_base::Completeness::partial(orienteer_base::Reason::Capped)
}

/// Nothing is there: because the server is not ready, because it does not know the file, or because there is nothing.
async fn nothing(lease: &Lease, seen: &Seen, pinned: &Pinned, patience: &Patience, what: &str) -> Problem {
    if !seen.ready {
        let (server, doing) = (lease.server_id().to_owned(), seen.busy_with.clone());
        return problem(Failure::NotReady { server, doing, retry_after_ms: 3_000 });
    }
    if let Some(message) = not_files(lease.server_id(), seen) {
        return Problem::new(ErrorKind::NotFound, message).detail("not_a_file");
    }
    if let Some(warning) = unreadable(lease.server_id(), seen.unreadable) {
        return Problem::new(ErrorKind::InternalError, warning.message).detail("unreadable_answer");
    }
    if let Err(failure) = lease.ensure_known(pinned.file.absolute(), patience).await {
        return problem(failure);
    }
    let place = format!("{}:{}:{}", pinned.file.shown(), pinned.position.line, pinned.position.column);
    let word = pinned.word.as_deref().map(|word| format!("`{word}` at ")).unwrap_or_default();
    Problem::new(ErrorKind::NotFound, format!("{word}{place} is no {what} that the language server knows"))
        .detail("no_symbol_here")
}

fn step(name: &str, kind: SymbolKind, spot: &Spot) -> Step {
    Step {
        name: name.to_owned(),
        kind,
        spot: spot.clone(),
        sites: Vec::new(),
        depth: 0,
        root: 0,
        relation: None,
        cycle: false,
    }
}

fn item(scenery: &mut Scenery<'_>, step: &Step, snippet: Option<SnippetSpec>) -> HierarchyItem {
    let symbol = scenery.symbol_at(&step.spot.path, step.spot.range.start);
    HierarchyItem {
        // Servers call what stands outside every function by the path of its file. Where nobody may look into the file, that
        // is all there is to tell.
        name: if std::path::Path::new(&step.name) == step.spot.path || !scenery.may_show(&step.spot.path) {
            scenery.show(&step.spot.path)
        } else {
            step.name.clone()
        },
        name_path: symbol.as_ref().map(|symbol| symbol.name_path.clone()),
        kind: Some(symbol.map_or(step.kind, |symbol| symbol.kind)),
        location: scenery.spot(&step.spot, snippet),
        depth: step.depth,
        root: step.root,
        relation: step.relation,
        call_sites: step.sites.iter().map(|site| scenery.spot(site, None)).collect(),
        cycle: step.cycle,
    }
}

/// What was walked.
struct Walked {
    steps: Vec<Step>,
    cut: bool,
    seen: Seen,
}

impl Default for Walked {
    fn default() -> Self {
        Self { steps: Vec::new(), cut: false, seen: Seen { ready: true, ..Seen::default() } }
    }
}

type Key = (PathBuf, Position);

fn key(spot: &Spot) -> Key {
    (spot.path.clone(), spot.range.start)
}

/// What is left to do on a walk.
enum Visit {
    Show(Box<Step>),
    /// So many steps from a root, and from which of them.
    Follow(CallItem, u32, usize),
}

/// What nobody lists for a server is opened for it on the way.
struct Opening<'a> {
    session: &'a Session,
    lease: &'a Lease,
    patience: &'a Patience,
    cancel: &'a Cancel,
    /// For so many more items.
    left: usize,
}

impl Opening<'_> {
    async fn make_known(&mut self, name: &str, spot: &Spot) -> Known {
        if !self.lease.lacks_list(&spot.path) {
            return Known::All;
        }
        let Some(file) = self.session.roots().named(&spot.path).filter(|_| self.left > 0) else {
            return Known::SomeFiles;
        };
        self.left -= 1;
        let (position, word) = (spot.range.start, plain(name).map(str::to_owned));
        let pinned = Pinned { file, position, word, warnings: Vec::new() };
        self.session.make_known(self.lease, &pinned, self.patience, self.cancel).await
    }

    /// Says what may be missing in an answer about an item. It tells of no declarations.
    async fn note(&self, known: Known, name: &str, seen: &mut Seen) {
        let (word, nothing) = (plain(name), None::<Vec<PathBuf>>);
        seen.lacks(self.session.unlisted(self.lease, known, word, nothing, self.patience).await);
        known.note(seen);
    }
}

/// The word in the name of an item, without what a template is given: `~Shape`, `Vector<int>`. Operators have none.
fn plain(name: &str) -> Option<&str> {
    let name = name.trim_start_matches('~');
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end]).filter(|word| !word.is_empty() && *word != "operator")
}

/// Callers of callers, each under the one it was found through. What was followed before is shown and not followed
/// again.
async fn calls(
    session: &Session,
    lease: &Lease,
    roots: &[CallItem],
    query: &CallsQuery,
    patience: &Patience,
    cancel: &Cancel,
) -> Result<Walked, Failure> {
    let mut opening = Opening { session, lease, patience, cancel, left: MOST_OPENED_FOR };
    let mut walked = Walked::default();
    let mut followed: HashSet<Key> = roots.iter().map(|root| key(&root.spot)).collect();
    let mut asked = 0;
    // Depth first, so that each item stands under its own; the last of the list is next.
    let mut next: Vec<Visit> =
        roots.iter().enumerate().rev().map(|(at, root)| Visit::Follow(root.clone(), 0, at)).collect();
    while let Some(visit) = next.pop() {
        let (of, depth, root) = match visit {
            Visit::Show(step) => {
                walked.steps.push(*step);
                continue;
            }
            Visit::Follow(of, depth, root) => (of, depth, root),
        };
        if asked >= MOST_ASKED {
            walked.cut = true;
            continue;
        }
        asked += 1;
        let is_wide = query.direction == CallDirection::Incoming;
        let known = if is_wide { opening.make_known(&of.name, &of.spot).await } else { Known::All };
        let mut heard = lease.calls(&of, query.direction, patience).await?;
        opening.note(known, &of.name, &mut heard.seen).await;
        if query.direction == CallDirection::Incoming && Session::lacks_callers(lease) {
            let (more, seen) = session.callers_elsewhere(lease, &of, &heard.value, patience, cancel).await?;
            heard.value.extend(more);
            heard.seen = seen.into_iter().fold(heard.seen, Seen::and);
        }
        walked.seen = walked.seen.and(heard.seen);
        let mut below = Vec::new();
        for called in heard.value {
            let fresh = followed.insert(key(&called.item.spot));
            let sites = called.sites;
            let step = Step {
                sites,
                depth: depth + 1,
                root,
                cycle: !fresh,
                ..step(&called.item.name, called.item.kind, &called.item.spot)
            };
            below.push(Visit::Show(Box::new(step)));
            if fresh && depth + 1 < query.depth {
                below.push(Visit::Follow(called.item, depth + 1, root));
            }
        }
        next.extend(below.into_iter().rev());
    }
    Ok(walked)
}

async fn types(
    session: &Session,
    lease: &Lease,
    root: &TypeItem,
    query: &TypesQuery,
    patience: &Patience,
    cancel: &Cancel,
) -> Result<Walked, Failure> {
    let mut opening = Opening { session, lease, patience, cancel, left: MOST_OPENED_FOR };
    let mut walked = Walked::default();
    let mut asked = 0;
    for (up, relation, wanted) in [
        (true, "supertype", query.direction != TypeDirection::Subtypes),
        (false, "subtype", query.direction != TypeDirection::Supertypes),
    ] {
        if !wanted {
            continue;
        }
        let mut followed = HashSet::from([key(&root.spot)]);
        let mut level = vec![root.clone()];
        for depth in 1..=query.depth {
            let mut next = Vec::new();
            for of in &level {
                if asked >= MOST_ASKED {
                    walked.cut = true;
                    break;
                }
                asked += 1;
                let known = if up { Known::All } else { opening.make_known(&of.name, &of.spot).await };
                let mut heard = lease.related_types(of, up, patience).await?;
                opening.note(known, &of.name, &mut heard.seen).await;
                for found in heard.value {
                    let fresh = followed.insert(key(&found.spot));
                    if !fresh {
                        continue;
                    }
                    let relation = Some(relation);
                    walked.steps.push(Step { depth, relation, ..step(&found.name, found.kind, &found.spot) });
                    next.push(found);
                }
                walked.seen = walked.seen.and(heard.seen);
            }
            level = next;
        }
    }
    Ok(walked)
}
