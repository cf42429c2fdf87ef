//! Statements that are calls: of what changes its arguments, and of what changes no value.

use std::collections::HashMap;

use super::notes::Why;
use super::translate::Translator;
use super::tree::{Argument, Expr, Parameter, Result, Statement, Target, Untranslatable};

/// Calls that change no value of the text.
const OUTPUTS: [&str; 18] = [
    "print",
    "echo",
    "save",
    "show",
    "export",
    "show_object",
    "log",
    "write_stl",
    "exportStl",
    "savefig",
    "imshow",
    "plot",
    "debug",
    "warn",
    "exporters",
    "printf",
    "render",
    "assert",
];

/// True if a value is a call that only shows or stores something.
pub(super) fn is_output(value: &Expr) -> bool {
    match value {
        Expr::Call(name, ..) | Expr::Method(_, name, ..) => OUTPUTS.contains(&name.as_str()),
        _ => false,
    }
}

impl Translator<'_> {
    /// Runs a statement that is a value.
    pub(super) fn effect(&mut self, value: &Expr) -> Result<()> {
        match value {
            Expr::Text(_) | Expr::Name(..) | Expr::Number(_) => Ok(()),
            Expr::Call(name, _, at) | Expr::Method(_, name, _, at) if is_output(value) => {
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
                let Some((parameters, body)) = self.definitions.get(name).cloned() else {
                    return Err(Untranslatable::Unknown);
                };
                if !parameters.iter().any(|parameter| parameter.is_output) {
                    // Its statements would change nothing, or what the translation has not.
                    return Err(Untranslatable::Unknown);
                }
                self.run_own(&parameters, &body, arguments).map(|_| ())
            }
            _ => Err(Untranslatable::Unknown),
        }
    }

    /// Calls a function that the text defines; the variables for its outputs get their values.
    pub(super) fn run_own(
        &mut self,
        parameters: &[Parameter],
        body: &[Statement],
        arguments: &[Argument],
    ) -> Result<Option<Expr>> {
        let mut values: HashMap<String, Expr> = self.values.clone();
        values.extend(self.arguments_of(parameters, arguments)?);
        let (value, after) = self.inlined(values, body)?;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if !parameter.is_output {
                continue;
            }
            let target = match &argument.value {
                Expr::Name(name, _) => Target::Names(vec![name.clone()]),
                Expr::Member(of, component, _) => match &**of {
                    Expr::Name(of, _) => Target::Member(of.clone(), component.clone()),
                    _ => return Err(Untranslatable::Unknown),
                },
                _ => return Err(Untranslatable::Unknown),
            };
            let changed = after.get(&parameter.name).cloned();
            let changed = changed.ok_or(Untranslatable::Unknown)?;
            match target {
                Target::Names(names) => self.assign(&names[0], changed),
                Target::Member(of, component) => self.assign_member(&of, &component, changed)?,
            }
        }
        Ok(value)
    }
}

fn is_super(value: &Expr) -> bool {
    matches!(value, Expr::Call(name, ..) if name == "super")
}
