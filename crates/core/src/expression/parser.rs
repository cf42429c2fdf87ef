//! Tokens to the syntax tree, by descent through the levels of precedence.
//!
//! Chains of `+ - * /`, signs and `.` are loops. What nests by its meaning (parentheses, calls, exponents, choices)
//! descends, at most [`DEEPEST`] levels, on a stack that grows as needed.

use super::error::{Code, Mistake};
use super::lexer::{Kind, Lexer, Token};
use super::tree::{Expression, Form, Gives, Name, Operator, Place, Statement, Tightness, Tree};

/// The longest text, in bytes.
pub(super) const LONGEST: usize = 1_000_000;

/// How deeply an expression may be nested.
pub(super) const DEEPEST: usize = 1000;

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<Tree<'_>, Mistake> {
    if text.len() > LONGEST {
        let message = format!(
            "the expression has {} bytes, the most are {LONGEST}",
            text.len()
        );
        return Err(Mistake::new(Code::TooLarge, 0, message)
            .hint("divide it into functions that call each other"));
    }
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        depth: 0,
        tree: Tree::default(),
    };
    parser.statements()?;
    Ok(parser.tree)
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token that is looked at.
    token: Token<'t>,
    depth: usize,
    tree: Tree<'t>,
}

impl<'t> Parser<'t> {
    fn statements(&mut self) -> Result<(), Mistake> {
        if self.token.kind == Kind::End {
            return Err(
                Mistake::new(Code::Syntax, self.token.at, "the expression is empty")
                    .hint("write a number or a formula, such as length(pos) - 5"),
            );
        }
        while self.token.kind != Kind::End {
            let statement = self.statement()?;
            self.tree.statements.push(statement);
            if !self.accept(";")? && self.token.kind != Kind::End {
                return Err(self.unfinished("an operator, ';' or the end"));
            }
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<Statement<'t>, Mistake> {
        let (at, first) = (self.token.at, self.tree.expressions.len());
        let gives = if self.token.kind == Kind::Name("let") {
            self.advance()?;
            let name = self.name("a name after let")?;
            if !self.accept("=")? {
                return Err(self.unexpected("'=' and the value of the name"));
            }
            self.expression()?;
            Gives::Binding(name)
        } else {
            self.expression()?;
            if self.token.kind == Kind::Mark("=") {
                let name = self.output_name(first)?;
                self.advance()?;
                self.expression()?;
                Gives::Output(Some(name))
            } else {
                Gives::Output(None)
            }
        };
        let expressions = first..self.tree.expressions.len();
        Ok(Statement {
            gives,
            at,
            expressions,
        })
    }

    /// What was read as an expression turns out to be the name of an output, as `=` follows.
    fn output_name(&mut self, first: Place) -> Result<Name<'t>, Mistake> {
        if self.tree.expressions.len() == first + 1
            && let Some(Expression {
                form: Form::Name(name),
                ..
            }) = self.tree.expressions.pop()
        {
            return Ok(name);
        }
        let message = "'=' stands only after the name of an output or of a let binding";
        Err(Mistake::new(Code::Syntax, self.token.at, message)
            .hint("only < and > compare, as in a < b ? c : d"))
    }

    /// An expression of any kind, one level deeper.
    fn expression(&mut self) -> Result<Place, Mistake> {
        self.deeper(|parser| {
            let condition = parser.comparison()?;
            let at = parser.token.at;
            if !parser.accept("?")? {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":", "':' and the value for when the condition is false")?;
            let otherwise = parser.expression()?;
            Ok(parser.push(Form::Choice(condition, then, otherwise), at))
        })
    }

    fn comparison(&mut self) -> Result<Place, Mistake> {
        let left = self.chain(Tightness::Sum)?;
        let at = self.token.at;
        if self.accept("<")? {
            let right = self.chain(Tightness::Sum)?;
            return Ok(self.push(Form::Less(left, right), at));
        }
        if self.accept(">")? {
            let right = self.chain(Tightness::Sum)?;
            return Ok(self.push(Form::Less(right, left), at));
        }
        Ok(left)
    }

    /// A chain of binary operators that hold at least as tightly as `loosest`, from left to right.
    fn chain(&mut self, loosest: Tightness) -> Result<Place, Mistake> {
        let mut left = self.signed()?;
        while let Some(operator) = self.operator(loosest) {
            let at = self.token.at;
            self.advance()?;
            let right = match operator.tightness() {
                Tightness::Sum => self.chain(Tightness::Product)?,
                Tightness::Product
                | Tightness::Choice
                | Tightness::Sign
                | Tightness::Power
                | Tightness::Whole => self.signed()?,
            };
            left = self.push(Form::Binary(operator, left, right), at);
        }
        Ok(left)
    }

    /// The operator at hand, if it is one of a chain at this level. A power is none: it is right associative.
    fn operator(&self, loosest: Tightness) -> Option<Operator> {
        let Kind::Mark(mark) = self.token.kind else {
            return None;
        };
        Operator::ALL.into_iter().find(|operator| {
            let tightness = operator.tightness();
            operator.mark() == mark && tightness >= loosest && tightness <= Tightness::Product
        })
    }

    fn signed(&mut self) -> Result<Place, Mistake> {
        let mut signs = Vec::new();
        while self.token.kind == Kind::Mark("-") {
            signs.push(self.token.at);
            self.advance()?;
        }
        let mut value = self.power()?;
        while let Some(at) = signs.pop() {
            value = self.push(Form::Negative(value), at);
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<Place, Mistake> {
        let base = self.member()?;
        let at = self.token.at;
        if !self.accept("^")? {
            return Ok(base);
        }
        let exponent = self.deeper(Self::signed)?;
        Ok(self.push(Form::Binary(Operator::Power, base, exponent), at))
    }

    fn member(&mut self) -> Result<Place, Mistake> {
        let mut value = self.whole()?;
        while self.accept(".")? {
            let at = self.token.at;
            let name = self.name("the name of an output or component after '.'")?;
            value = self.push(Form::Member(value, name), at);
        }
        Ok(value)
    }

    fn whole(&mut self) -> Result<Place, Mistake> {
        let at = self.token.at;
        if self.accept("(")? {
            let value = self.expression()?;
            self.expect(")", "an operator or ')'")?;
            return Ok(value);
        }
        match &mut self.token.kind {
            Kind::Number(number) => {
                let form = Form::Number(*number);
                self.advance()?;
                Ok(self.push(form, at))
            }
            Kind::Text(text) => {
                let form = Form::Text(std::mem::take(text));
                self.advance()?;
                Ok(self.push(form, at))
            }
            Kind::Name("let") => Err(Mistake::new(Code::Syntax, at, "let begins a statement")
                .hint("separate statements with ';'")),
            Kind::Name(_) | Kind::Quoted(_) => {
                let name = self.name("a name")?;
                if self.accept("(")? {
                    return self.call(name, at);
                }
                Ok(self.push(Form::Name(name), at))
            }
            Kind::Mark("[") => Err(Mistake::new(Code::Syntax, at, "'[' begins no value")
                .hint("a vector is written vec3(x, y, z), a matrix mat4(16 numbers, row by row)")),
            Kind::Mark(_) | Kind::End => Err(self.unexpected("a value")),
        }
    }

    fn call(&mut self, name: Name<'t>, at: usize) -> Result<Place, Mistake> {
        let mut arguments = Vec::new();
        if !self.accept(")")? {
            loop {
                arguments.push(self.expression()?);
                if self.accept(")")? {
                    break;
                }
                self.expect(",", "an operator, ',' or ')'")?;
            }
        }
        let first = self.tree.arguments.len();
        self.tree.arguments.extend(arguments);
        let arguments = first..self.tree.arguments.len();
        Ok(self.push(Form::Call(name, arguments), at))
    }

    fn name(&mut self, expected: &str) -> Result<Name<'t>, Mistake> {
        let name = match &mut self.token.kind {
            Kind::Name(text) if *text != "let" => Name {
                text: (*text).into(),
                quoted: false,
            },
            Kind::Quoted(text) => Name {
                text: std::mem::take(text),
                quoted: true,
            },
            Kind::Name(_) | Kind::Number(_) | Kind::Text(_) | Kind::Mark(_) | Kind::End => {
                return Err(self.unexpected(expected));
            }
        };
        self.advance()?;
        Ok(name)
    }

    fn deeper(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Place, Mistake>,
    ) -> Result<Place, Mistake> {
        /// More than one level takes, in a build without optimisation.
        const RED_ZONE: usize = 64 * 1024;
        const GROW_BY: usize = 1024 * 1024;
        if self.depth == DEEPEST {
            let message = format!("the expression is nested more than {DEEPEST} levels deep");
            return Err(Mistake::new(Code::TooDeep, self.token.at, message)
                .hint("name the inner parts with let"));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, GROW_BY, || parse(self));
        self.depth -= 1;
        result
    }

    fn push(&mut self, form: Form<'t>, at: usize) -> Place {
        self.tree.expressions.push(Expression { form, at });
        self.tree.expressions.len() - 1
    }

    fn advance(&mut self) -> Result<(), Mistake> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn accept(&mut self, mark: &'static str) -> Result<bool, Mistake> {
        let found = self.token.kind == Kind::Mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, mark: &'static str, expected: &str) -> Result<(), Mistake> {
        if self.accept(mark)? {
            Ok(())
        } else {
            Err(self.unfinished(expected))
        }
    }

    /// The token at hand is none of those that could follow a value.
    fn unfinished(&self, expected: &str) -> Mistake {
        self.unexpected(expected).or_hint(self.juxtaposed())
    }

    /// The token at hand is none of those that could stand here.
    fn unexpected(&self, expected: &str) -> Mistake {
        let Token { kind, at, .. } = &self.token;
        let mistake = |message: String| Mistake::new(Code::Syntax, *at, message);
        match kind {
            Kind::End => mistake(format!(
                "the expression ends where {expected} should follow"
            )),
            Kind::Mark(mark) => match refused(mark) {
                Some((message, hint)) => mistake(format!("'{mark}' {message}")).hint(hint),
                None => mistake(format!("expected {expected}, but found '{mark}'")),
            },
            Kind::Number(number) => mistake(format!("expected {expected}, but found {number}")),
            Kind::Text(_) => mistake(format!("expected {expected}, but found a text")),
            Kind::Name(name) => mistake(format!("expected {expected}, but found '{name}'")),
            Kind::Quoted(name) => mistake(format!("expected {expected}, but found `{name}`")),
        }
    }

    /// A value follows a value: mathematics would multiply.
    fn juxtaposed(&self) -> Option<String> {
        let follows = match &self.token.kind {
            Kind::Name(name) => (*name).to_owned(),
            Kind::Number(number) => number.to_string(),
            Kind::Mark("(") => "(...)".to_owned(),
            Kind::Quoted(_) | Kind::Text(_) | Kind::Mark(_) | Kind::End => return None,
        };
        let before = if let Form::Number(number) = &self.tree.expressions.last()?.form {
            number.to_string()
        } else {
            "...".to_owned()
        };
        Some(format!("to multiply, write {before}*{follows}"))
    }
}

/// Operators of programming languages that are none here.
fn refused(mark: &str) -> Option<(&'static str, &'static str)> {
    Some(match mark {
        "**" => ("is no operator", "write a^b for a power"),
        "%" => ("is no operator", "write mod(a, b) for the remainder"),
        "<=" => (
            "is no operator",
            "write a > b ? d : c for a <= b ? c : d; they differ only where a or b is NaN",
        ),
        ">=" => (
            "is no operator",
            "write a < b ? d : c for a >= b ? c : d; they differ only where a or b is NaN",
        ),
        "==" | "!=" => (
            "is no operator",
            "only < and > compare, as in abs(a - b) < 1e-9 ? c : d",
        ),
        "&&" => (
            "is no operator",
            "nest the choices: a < b ? (c < d ? x : y) : y",
        ),
        "||" => (
            "is no operator",
            "nest the choices: a < b ? x : (c < d ? x : y)",
        ),
        "!" => ("is no operator", "exchange the values of the choice"),
        "//" | "/*" => ("begins no comment", "there are no comments"),
        "?" => (
            "has no comparison before it",
            "a choice is written a < b ? c : d",
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::drawn::check;

    #[test]
    fn mistakes_are_shown_in_their_place() {
        check(
            "",
            "the expression is empty; write a number or a formula, such as length(pos) - 5\n  \n  ^",
        );
        check(
            "a + ",
            "the expression ends where a value should follow\n  a + \n     ^",
        );
        check(
            "a + * b",
            "expected a value, but found '*'\n  a + * b\n      ^",
        );
        check("+a", "expected a value, but found '+'\n  +a\n  ^");
        check(
            "sqrt(a",
            "the expression ends where an operator, ',' or ')' should follow\n  sqrt(a\n        ^",
        );
        check(
            "(a",
            "the expression ends where an operator or ')' should follow\n  (a\n    ^",
        );
        check(
            "a)",
            "expected an operator, ';' or the end, but found ')'\n  a)\n   ^",
        );
        check(
            "a\n + größe $",
            "'$' has no meaning\n   + größe $\n           ^",
        );
        check(
            "2x",
            "expected an operator, ';' or the end, but found 'x'; to multiply, write 2*x\n  2x\n   ^",
        );
        check(
            "(a)(b)",
            "expected an operator, ';' or the end, but found '('; to multiply, write ...*(...)\n  (a)(b)\n     ^",
        );
        check(
            "a%2",
            "'%' is no operator; write mod(a, b) for the remainder\n  a%2\n   ^",
        );
        check(
            "a**2",
            "'**' is no operator; write a^b for a power\n  a**2\n   ^",
        );
        check(
            "a <= b ? 1 : 2",
            "'<=' is no operator; write a > b ? d : c for a <= b ? c : d; they differ only where a or b is NaN\
             \n  a <= b ? 1 : 2\n    ^",
        );
        check(
            "a < b ? 1",
            "the expression ends where ':' and the value for when the condition is false should follow\n  a < b ? 1\n           ^",
        );
        check(
            "2 = a",
            "'=' stands only after the name of an output or of a let binding; only < and > compare, as in a < b ? c : d\n  2 = a\n    ^",
        );
        check(
            "let 2 = a",
            "expected a name after let, but found 2\n  let 2 = a\n      ^",
        );
        check(
            "[1, 2]",
            "'[' begins no value; a vector is written vec3(x, y, z), a matrix mat4(16 numbers, row by row)\n  [1, 2]\n  ^",
        );
        check(
            "a // b",
            "'//' begins no comment; there are no comments\n  a // b\n    ^",
        );
    }
}
