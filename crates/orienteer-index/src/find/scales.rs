//! How much does each part of a score count?

/// Weights of the ranking. The defaults were chosen on the tuning set of the retrieval benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    // Words, by where they stand.
    pub symbol: f64,
    pub container: f64,
    pub path: f64,
    pub signature: f64,
    pub doc: f64,
    pub body: f64,
    /// How soon more of the same word stops counting.
    pub saturation: f64,
    /// How much the length of a piece counts.
    pub length: f64,
    /// Forms of a word: `parses` for `parse`, `parser` for `parse`, `args` for `arguments`, `fetch` for `get`.
    pub inflected: f64,
    pub derived: f64,
    pub shortened: f64,
    pub related: f64,
    /// A part of a name that was asked for as a whole.
    pub part: f64,
    /// How much of the question is there at all.
    pub coverage: f64,
    /// How much of the question stands close together.
    pub near: f64,
    /// How many words stand in the order of the question.
    pub run: f64,
    /// That most of the question stands there word by word: a message, a line of code.
    pub said: f64,
    /// How much of the question is said by names: of the symbol, its containers, its path.
    pub anchored: f64,
    /// How much of the name was asked for.
    pub named: f64,
    /// The name begins with the first word of the question: the deed, mostly.
    pub verb: f64,
    // How near a name is to one that was asked for.
    pub exact: f64,
    pub ignoring_case: f64,
    pub prefix: f64,
    pub acronym: f64,
    pub contains: f64,
    pub abbreviated: f64,
    /// How much of that a plain word counts in a sentence, where it is hardly meant as a name.
    pub in_sentence: f64,
    /// How many names in a path were asked for one after the other.
    pub place: f64,
    pub meaning: f64,
    /// What words are worth in other things than functions: in types, in what belongs to them, between definitions.
    pub types: f64,
    pub members: f64,
    pub between: f64,
    /// A factor, as all that follow.
    pub exported: f64,
    /// A function is only announced: a prototype, a signature of an interface.
    pub announced: f64,
    pub test: f64,
    pub generated: f64,
    pub vendored: f64,
    pub prose: f64,
    pub config: f64,
    pub records: f64,
}

impl Default for Scales {
    fn default() -> Self {
        Self {
            symbol: 6.0,
            container: 2.0,
            path: 1.5,
            signature: 2.0,
            doc: 2.0,
            body: 1.0,
            saturation: 1.2,
            length: 0.5,
            inflected: 0.8,
            derived: 0.5,
            shortened: 0.6,
            related: 0.3,
            part: 0.5,
            coverage: 0.5,
            near: 0.3,
            run: 0.3,
            said: 0.8,
            anchored: 0.3,
            named: 0.3,
            verb: 0.2,
            exact: 2.0,
            ignoring_case: 1.8,
            prefix: 1.2,
            acronym: 1.4,
            contains: 1.0,
            abbreviated: 1.2,
            in_sentence: 0.4,
            place: 0.5,
            meaning: 0.5,
            types: 0.85,
            members: 0.7,
            between: 0.7,
            exported: 1.03,
            announced: 0.9,
            test: 0.6,
            generated: 0.5,
            vendored: 0.7,
            prose: 0.9,
            config: 0.7,
            records: 0.8,
        }
    }
}
