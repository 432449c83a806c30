//! The language of `.fake` files.

use super::columns::lines;

/// A stretch of one line, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Define,
    Declare,
    Use,
    Call,
    /// A supertype or the type of a result.
    Type,
}

/// A name somewhere in a file.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Method,
    Type,
}

/// A definition with the deeper lines below it.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Its name.
    pub(super) span: Span,
    pub(super) last_line: usize,
    indent: usize,
    pub(super) parent: Option<usize>,
    pub(super) parameters: Vec<String>,
    pub(super) supertypes: Vec<String>,
    pub(super) result: Option<String>,
    pub(super) documentation: String,
}

#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) lines: Vec<String>,
    pub(super) mentions: Vec<Mention>,
    pub(super) blocks: Vec<Block>,
    pub(super) errors: Vec<(Span, String)>,
}

impl Block {
    pub(super) fn signature(&self) -> String {
        if self.kind == Kind::Type {
            return format!("type {}", self.name);
        }
        let result = self.result.as_ref().map(|result| format!(" -> {result}")).unwrap_or_default();
        format!("def {}({}){result}", self.name, self.parameters.join(", "))
    }
}

impl Parsed {
    pub(super) fn mention_at(&self, line: usize, byte: usize) -> Option<&Mention> {
        self.mentions.iter().find(|mention| {
            mention.span.line == line && (mention.span.start..=mention.span.end).contains(&byte)
        })
    }

    /// The innermost definition around a line, its own first line included.
    pub(super) fn block_around(&self, line: usize) -> Option<usize> {
        self.blocks.iter().rposition(|block| (block.span.line..=block.last_line).contains(&line))
    }
}

pub(super) fn parse(text: &str) -> Parsed {
    let lines: Vec<String> = lines(text).into_iter().map(|range| text[range].to_owned()).collect();
    let mut parsed =
        Parsed { lines: Vec::new(), mentions: Vec::new(), blocks: Vec::new(), errors: Vec::new() };
    let mut documentation = String::new();
    // Definitions that the next line may still belong to, outermost first.
    let mut around: Vec<usize> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let content = line.trim_start();
        if let Some(comment) = content.strip_prefix('#') {
            documentation.push_str(comment.trim());
            documentation.push('\n');
            continue;
        }
        let documentation = std::mem::take(&mut documentation);
        if content.is_empty() {
            continue;
        }
        let indent = line.len() - content.len();
        around.retain(|&block| parsed.blocks[block].indent < indent);
        for &block in &around {
            parsed.blocks[block].last_line = number;
        }
        let before = parsed.blocks.len();
        parse_line(number, line, indent, around.last().copied(), &mut parsed);
        if let Some(block) = parsed.blocks.get_mut(before) {
            block.documentation = documentation.trim_end().to_owned();
            around.push(before);
        }
    }
    parsed.lines = lines;
    parsed
}

fn parse_line(number: usize, line: &str, indent: usize, parent: Option<usize>, parsed: &mut Parsed) {
    if let Some(message) = line.trim_start().strip_prefix("bad ") {
        let span = Span { line: number, start: indent, end: line.trim_end().len() };
        parsed.errors.push((span, message.trim().to_owned()));
        return;
    }
    let mut words = words(line).into_iter();
    // Words before the keyword mean nothing; after the first statement the line is at its end.
    let Some((_, keyword)) = words.find(|(_, word)| KEYWORDS.contains(word)) else { return };
    let Some((start, name)) = words.next() else { return };
    let mut mention = |start: usize, name: &str, role| {
        let span = Span { line: number, start, end: start + name.len() };
        parsed.mentions.push(Mention { name: name.to_owned(), role, span });
        span
    };
    let role = match keyword {
        "use" => Role::Use,
        "call" => Role::Call,
        "declare" => Role::Declare,
        _ => Role::Define,
    };
    let span = mention(start, name, role);
    if role != Role::Define {
        return;
    }
    let (mut parameters, mut supertypes, mut result) = (Vec::new(), Vec::new(), None);
    while let Some((start, word)) = words.next() {
        if keyword == "type" {
            mention(start, word, Role::Type);
            supertypes.push(word.to_owned());
        } else if word == "->" {
            result = words.next().map(|(start, word)| {
                mention(start, word, Role::Type);
                word.to_owned()
            });
        } else {
            parameters.push(word.to_owned());
        }
    }
    let kind = match parent {
        _ if keyword == "type" => Kind::Type,
        Some(parent) if parsed.blocks[parent].kind == Kind::Type => Kind::Method,
        _ => Kind::Function,
    };
    parsed.blocks.push(Block {
        name: name.to_owned(),
        kind,
        span,
        last_line: number,
        indent,
        parent,
        parameters,
        supertypes,
        result,
        documentation: String::new(),
    });
}

const KEYWORDS: [&str; 5] = ["def", "type", "declare", "use", "call"];

/// Words with their byte offsets.
pub(super) fn words(line: &str) -> Vec<(usize, &str)> {
    line.split_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_own_the_deeper_lines_below_them() {
        let parsed = parse(
            "type Shape\n\n# The area.\n  def area r -> Number\n    😀 call square\n\ndef last\nbad no\n",
        );
        let [shape, area, last] = &parsed.blocks[..] else { panic!("{:?}", parsed.blocks) };
        assert_eq!((shape.last_line, area.last_line, last.last_line), (4, 4, 6));
        assert_eq!((area.kind, area.parent), (Kind::Method, Some(0)));
        assert_eq!(
            (area.signature().as_str(), area.documentation.as_str()),
            ("def area(r) -> Number", "The area.")
        );
        let call = &parsed.mentions[3];
        assert_eq!((call.name.as_str(), call.role, call.span.start), ("square", Role::Call, 14));
        assert_eq!(parsed.block_around(4), Some(1));
        assert_eq!(parsed.errors, [(Span { line: 7, start: 0, end: 6 }, "no".to_owned())]);
    }
}
