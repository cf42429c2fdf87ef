//! Constructs of a text that expressions do not have, and how messages name them.

use crate::names;

/// Reason why a construct is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Python,
    Glsl,
    JavaScript,
    OpenScad,
    Operator,
    Comment,
    Unit,
    Spelling,
    Syntax,
    Separator,
    Function,
    Keyword,
    Component,
    List,
    Twice,
    Method,
    Comparison,
    Value,
    /// The construct is a whole clause.
    Clause,
    Point,
    Definition,
}

impl Why {
    /// Predicate of a message about the construct, singular and plural.
    fn predicate(self) -> [&'static str; 2] {
        match self {
            Why::Python => ["is Python", "are Python"],
            Why::Glsl => ["is GLSL", "are GLSL"],
            Why::JavaScript => ["is JavaScript", "are JavaScript"],
            Why::OpenScad => ["is OpenSCAD", "are OpenSCAD"],
            Why::Operator => ["is no operator", "are no operators"],
            Why::Comment => ["begins no comment", "begin no comments"],
            Why::Unit => ["is no unit of a number", "are no units of numbers"],
            Why::Spelling => ["has no meaning", "have no meaning"],
            Why::Syntax => ["begins no expression", "begin no expressions"],
            Why::Separator => ["separates no statements", "separate no statements"],
            Why::Function => ["is no function", "are no functions"],
            Why::Keyword => ["is no statement", "are no statements"],
            Why::Component => ["is no component", "are no components"],
            Why::List => ["is no vector", "are no vectors"],
            Why::Twice => ["has a value already", "have values already"],
            Why::Method => ["is no method", "are no methods"],
            Why::Comparison => ["stands only before '?'", "stand only before '?'"],
            Why::Value => ["is no value", "are no values"],
            Why::Clause => ["", ""],
            Why::Point => [
                "is a float, not the point pos",
                "are floats, not the point pos",
            ],
            Why::Definition => ["is no definition", "are no definitions"],
        }
    }
}

/// A construct at an offset of the text.
#[derive(Debug, Clone)]
struct Note {
    at: usize,
    why: Why,
    what: String,
}

/// The constructs of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    constructs: Vec<Note>,
    /// True if the text may compile, but is hardly what is meant.
    pub(super) is_doubtful: bool,
    /// True if the text has classes of solids, such as `Box(10, 20, 30)`, which are combined by `+`, `-` and `*`.
    pub(super) has_solids: bool,
    /// Macros with parameters that the text defines.
    pub(super) macros: Vec<String>,
    /// Names that `var` of JavaScript declares, which do not end with a block.
    pub(super) variables: Vec<String>,
    /// True if the text imports the library `sdf`, or turns shapes as it does.
    pub(super) has_fields: bool,
    /// Library of solids or meshes that the text imports or calls.
    pub(super) library: Option<&'static str>,
    /// Offset of the first call that rounds to the nearest integer.
    pub(super) rounds: Option<usize>,
}

impl Notes {
    pub(super) fn add(&mut self, at: usize, why: Why, what: &str) {
        let is_known = |note: &Note| note.why == why && note.what == what;
        if !self.constructs.iter().any(is_known) {
            let what = what.to_owned();
            self.constructs.push(Note { at, why, what });
        }
    }

    /// Keeps the name of a macro with parameters, as of `define rot(a) ...`.
    pub(super) fn note_macro(&mut self, directive: &str) {
        if let Some((name, _)) = directive
            .strip_prefix("define")
            .and_then(|rest| rest.trim_start().split_once('('))
            && !name.contains(char::is_whitespace)
        {
            self.macros.push(name.to_owned());
        }
    }

    /// Keeps the library of solids that a text imports.
    pub(super) fn note_library(&mut self, imported: &str) {
        self.has_fields |= imported == "sdf";
        self.has_solids |= imported == "sdf";
        self.library = self.library.or(names::solids_library(imported));
    }

    /// True if the text has `|` or `&`, as libraries of shapes write unions and intersections.
    pub(super) fn has_bits(&self) -> bool {
        let is_bit = |note: &Note| note.why == Why::Operator && matches!(&*note.what, "|" | "&");
        self.constructs.iter().any(is_bit)
    }

    /// True if the text has constructs of GLSL, which copies vectors.
    pub(super) fn has_glsl(&self) -> bool {
        self.constructs.iter().any(|note| note.why == Why::Glsl)
    }

    /// True if the text has constructs of JavaScript, whose methods change vectors.
    pub(super) fn has_javascript(&self) -> bool {
        let is_one = |note: &Note| note.why == Why::JavaScript;
        self.constructs.iter().any(is_one)
    }

    /// True if the text has constructs of `OpenSCAD`, whose angles are in degrees.
    pub(super) fn has_scad(&self) -> bool {
        self.constructs.iter().any(|note| note.why == Why::OpenScad)
    }

    /// True if the text has constructs of another language, beyond its operators and spellings.
    pub(super) fn is_foreign(&self) -> bool {
        let languages = [Why::Python, Why::Glsl, Why::JavaScript, Why::OpenScad];
        self.constructs
            .iter()
            .any(|note| languages.contains(&note.why))
    }

    /// The message, and the offset of the first construct; `None` if there is no construct.
    ///
    /// Names at most four constructs, those of one reason together: "'import' and 'np.' are Python, '#' begins no
    /// comment".
    pub(super) fn message(&self) -> Option<(usize, String)> {
        const MOST: usize = 4;
        let mut notes = self.constructs.clone();
        let is_python = notes.iter().any(|note| note.why == Why::Python);
        notes.extend(self.rounds.filter(|_| is_python).map(|at| Note {
            at,
            why: Why::Clause,
            what: "round takes halves away from zero, Python to even".to_owned(),
        }));
        notes.sort_by_key(|note| note.at);
        let first = notes.first()?.at;
        // `np.norm` says of `norm` what is needed, and `OpenSCAD` of its lists, names and truths.
        let is_scad = self.has_scad();
        let said: Vec<String> = notes.iter().map(|note| note.what.clone()).collect();
        notes.retain(|note| match note.why {
            Why::Function => !said
                .iter()
                .any(|other| other.ends_with(&format!(".{}", note.what))),
            Why::List | Why::Value => !is_scad,
            _ => true,
        });
        notes.truncate(MOST);
        let mut clauses: Vec<(Why, Vec<String>)> = Vec::new();
        for note in notes {
            let what = match note.why {
                Why::Separator | Why::Clause => note.what,
                _ => format!("'{}'", note.what),
            };
            let is_clause = note.why == Why::Clause;
            let same = clauses
                .iter_mut()
                .find(|(why, _)| *why == note.why && !is_clause);
            match same {
                Some((_, all)) => all.push(what),
                None => clauses.push((note.why, vec![what])),
            }
        }
        let clauses = clauses.into_iter().map(|(why, all)| {
            let [one, several] = why.predicate();
            match &all[..] {
                [only] if one.is_empty() => only.clone(),
                [only] => format!("{only} {one}"),
                [others @ .., last] => format!("{} and {last} {several}", others.join(", ")),
                [] => unreachable!("a clause has a construct"),
            }
        });
        Some((first, clauses.collect::<Vec<_>>().join(", ")))
    }
}
