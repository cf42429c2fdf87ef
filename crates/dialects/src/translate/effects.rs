//! Statements that are calls: of what changes its arguments, and of what changes no value.

use super::Translator;
use super::scopes::Definition;
use crate::notes::Why;
use crate::tree::{Expr, Result, Untranslatable};

/// Calls that change no value of the text.
const OUTPUTS: [&str; 15] = [
    "print",
    "echo",
    "save",
    "show",
    "export",
    "show_object",
    "write_stl",
    "exportStl",
    "savefig",
    "imshow",
    "plot",
    "debug",
    "warn",
    "printf",
    "render",
];

/// True if a value is a call that only shows or stores something, and of no function of the text.
pub(super) fn is_output(value: &Expr, is_own: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Expr::Call(name, ..) if is_own(name) => false,
        Expr::Method(of, ..) if matches!(&**of, Expr::Name(name, _) if name == "console") => true,
        Expr::Call(name, ..) | Expr::Method(_, name, ..) => OUTPUTS.contains(&name.as_str()),
        _ => false,
    }
}

impl Translator<'_> {
    /// True if a value is a call that only shows or stores something.
    pub(super) fn is_output(&self, value: &Expr) -> bool {
        is_output(value, &|name| self.definitions.contains_key(name))
    }

    /// Runs a statement that is a value.
    pub(super) fn effect(&mut self, value: &Expr) -> Result<()> {
        match value {
            Expr::Text(_) | Expr::Name(..) | Expr::Number(_) => Ok(()),
            Expr::Call(name, _, at) | Expr::Method(_, name, _, at) if self.is_output(value) => {
                self.notes.add(*at, Why::Keyword, name);
                Ok(())
            }
            // The constructor of a class that the text does not define.
            Expr::Call(name, arguments, _) if name == "super" && arguments.is_empty() => Ok(()),
            Expr::Method(of, name, ..) if name == "__init__" && is_super(of) => {
                let has_own = self.classes.values().any(|class| {
                    let base = class.base.as_ref().and_then(|base| self.classes.get(base));
                    let constructs = |(name, ..): &(String, _, _)| name == "__init__";
                    base.is_some_and(|base| base.methods.iter().any(constructs))
                });
                if has_own {
                    Err(Untranslatable::Unknown)
                } else {
                    Ok(())
                }
            }
            Expr::Call(name, arguments, _) => {
                // The statements of others would change nothing, or what the translation has not.
                let has_output = |function: &Definition| {
                    function
                        .parameters
                        .iter()
                        .any(|parameter| parameter.is_output)
                };
                let function = self.defined(name).filter(has_output);
                let function = function.ok_or(Untranslatable::Unknown)?;
                self.run_own(&function, arguments).map(|_| ())
            }
            _ => Err(Untranslatable::Unknown),
        }
    }
}

fn is_super(value: &Expr) -> bool {
    matches!(value, Expr::Call(name, ..) if name == "super")
}
