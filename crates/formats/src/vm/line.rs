//! Parser of .vm files: text to operations on earlier lines.

use std::collections::HashMap;

use fibula_nodes::names;

use super::Limits;
use super::error::{ReadError, ReadErrorKind};

/// Operation of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Const,
    /// A component of the point.
    Axis(&'static str),
    /// The node of this kind.
    Unary(&'static str),
    /// The node of this kind, with parameters `A` and `B`.
    Binary(&'static str),
    Neg,
    Square,
    Recip,
    Not,
    And,
    Or,
    Compare,
    Mod,
    /// An operation on the bits of numbers.
    Bits,
}

/// Operations by name, with their arity.
const OPERATIONS: [(&str, usize, Operation); 34] = [
    ("const", 0, Operation::Const),
    ("var-x", 0, Operation::Axis("x")),
    ("var-y", 0, Operation::Axis("y")),
    ("var-z", 0, Operation::Axis("z")),
    ("add", 2, Operation::Binary("Addition")),
    ("sub", 2, Operation::Binary("Subtraction")),
    ("mul", 2, Operation::Binary("Multiplication")),
    ("div", 2, Operation::Binary("Division")),
    ("min", 2, Operation::Binary("Min")),
    ("max", 2, Operation::Binary("Max")),
    ("atan2", 2, Operation::Binary("ArcTan2")),
    ("mod", 2, Operation::Mod),
    ("compare", 2, Operation::Compare),
    ("and", 2, Operation::And),
    ("or", 2, Operation::Or),
    ("mix", 2, Operation::Bits),
    ("not", 1, Operation::Not),
    ("rand", 1, Operation::Bits),
    ("neg", 1, Operation::Neg),
    ("square", 1, Operation::Square),
    ("recip", 1, Operation::Recip),
    ("abs", 1, Operation::Unary("Abs")),
    ("sqrt", 1, Operation::Unary("Sqrt")),
    ("floor", 1, Operation::Unary("Floor")),
    ("ceil", 1, Operation::Unary("Ceil")),
    ("round", 1, Operation::Unary("Round")),
    ("sin", 1, Operation::Unary("Sine")),
    ("cos", 1, Operation::Unary("Cosine")),
    ("tan", 1, Operation::Unary("Tangent")),
    ("asin", 1, Operation::Unary("ArcSin")),
    ("acos", 1, Operation::Unary("ArcCos")),
    ("atan", 1, Operation::Unary("ArcTan")),
    ("exp", 1, Operation::Unary("Exp")),
    ("ln", 1, Operation::Unary("Log")),
];

/// A line with an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VmLine {
    pub(super) operation: Operation,
    /// Value of a constant.
    pub(super) number: f64,
    /// Indexes of the operands among the lines; the first `arity` are valid.
    operands: [u32; 2],
    arity: usize,
}

impl VmLine {
    /// Indexes of the operands among the lines.
    pub(super) fn operands(&self) -> &[u32] {
        &self.operands[..self.arity]
    }
}

/// Lists the names of all operations.
pub(super) fn operations() -> String {
    let supported = OPERATIONS
        .iter()
        .filter(|(.., operation)| *operation != Operation::Bits);
    let names: Vec<&str> = supported.map(|(name, ..)| *name).collect();
    names.join(", ")
}

/// True if the first operation of a text, which may be truncated, is a known one.
pub(super) fn begins(start: &[u8]) -> bool {
    const ENOUGH: usize = 64 << 10;
    let start = &start[..start.len().min(ENOUGH)];
    let start = start.strip_prefix(MARK.as_bytes()).unwrap_or(start);
    let mut lines = start
        .split(|byte| *byte == b'\n')
        .map(|line| std::str::from_utf8(line).unwrap_or("?"));
    let first = lines.find(|line| words(line).next().is_some());
    first.is_some_and(|line| words(line).nth(1).is_some_and(|word| find(word).is_some()))
}

/// Parses the lines with an operation.
pub(super) fn lines(bytes: &[u8], limits: &Limits) -> Result<Vec<VmLine>, ReadError> {
    let too_large = |what, limit| ReadErrorKind::TooLarge { what, limit };
    if bytes.len() > limits.bytes {
        return Err(too_large("bytes", limits.bytes).of_file());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n');
        ReadErrorKind::NotText.at(before.count())
    })?;
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let mut lines = Vec::new();
    let mut ids = HashMap::new();
    for (number, text_line) in (1..).zip(text.lines()) {
        let mut words = words(text_line);
        let Some(id) = words.next() else {
            continue;
        };
        if lines.len() == limits.operations {
            return Err(too_large("operations", limits.operations).at(number));
        }
        let line = line(id, words, &ids).map_err(|problem| {
            let problem = match problem {
                ReadErrorKind::UnknownId { id, .. } => below(id, text, number),
                other => other,
            };
            problem.at(number)
        })?;
        let place = u32::try_from(lines.len()).expect("a text has fewer lines than that");
        if let Some((_, first)) = ids.insert(id, (place, number)) {
            let id = truncated(id);
            return Err(ReadErrorKind::DuplicateId { id, first }.at(number));
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return Err(ReadErrorKind::Empty.of_file());
    }
    Ok(lines)
}

/// Byte order mark, which some editors put before a text in UTF-8.
const MARK: &str = "\u{feff}";

/// Splits a line into words, without its comment.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
        .take_while(|word| !word.starts_with('#'))
}

fn find(word: &str) -> Option<(&'static str, usize, Operation)> {
    OPERATIONS.into_iter().find(|(name, ..)| *name == word)
}

/// Parses one line; `ids` has the index and the number of each line above.
fn line<'a>(
    id: &str,
    mut words: impl Iterator<Item = &'a str>,
    ids: &HashMap<&str, (u32, usize)>,
) -> Result<VmLine, ReadErrorKind> {
    let word = words
        .next()
        .ok_or_else(|| ReadErrorKind::NoOperation(truncated(id)))?;
    let (name, arity, operation) = find(word).ok_or_else(|| ReadErrorKind::UnknownOperation {
        operation: truncated(word),
        nearest: names::nearest(word, OPERATIONS.iter().map(|(name, ..)| *name)),
    })?;
    if operation == Operation::Bits {
        return Err(ReadErrorKind::Unsupported(name));
    }
    let takes = match (operation, arity) {
        (Operation::Const, _) => (1, "a number"),
        (_, 0) => (0, "no operands"),
        (_, 1) => (1, "one operand"),
        (..) => (2, "two operands"),
    };
    let words: Vec<&str> = words.collect();
    if words.len() != takes.0 {
        let (takes, got) = (takes.1, words.len());
        return Err(ReadErrorKind::Operands {
            operation: name,
            takes,
            got,
        });
    }
    let mut line = VmLine {
        operation,
        number: 0.0,
        operands: [0; 2],
        arity,
    };
    if operation == Operation::Const {
        let number = words[0]
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite());
        line.number = number.ok_or_else(|| ReadErrorKind::NotANumber(truncated(words[0])))?;
        return Ok(line);
    }
    for (operand, id) in line.operands.iter_mut().zip(words) {
        let known = ids.get(id).map(|(place, _)| *place);
        *operand = known.ok_or_else(|| ReadErrorKind::UnknownId {
            id: truncated(id),
            below: None,
        })?;
    }
    Ok(line)
}

/// Error of an operand without a line above line `number`, with the line below that has it.
fn below(id: String, text: &str, number: usize) -> ReadErrorKind {
    let mut rest = (1..).zip(text.lines()).skip(number);
    let below = rest
        .find(|(_, line)| words(line).next() == Some(&id))
        .map(|(line, _)| line);
    ReadErrorKind::UnknownId { id, below }
}

/// Truncates a word for a message.
fn truncated(word: &str) -> String {
    names::visible(word, 60)
}
