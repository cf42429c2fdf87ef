//! Dictionaries and objects: values by name, of which a translation has the values that it uses.

use super::Translator;
use super::conditions::check_conditions;
use super::scopes::Values;
use crate::notes::Why;
use crate::tree::{
    Argument, CLASS, Class, Expr, Parameter, Result, Statement, Untranslatable, name,
};

/// Methods that are the value of an object at a point, the first of a class that has several.
const VALUES: [&str; 12] = [
    "sdf",
    "__call__",
    "evaluate",
    "eval",
    "distance",
    "dist",
    "map",
    "signed_distance",
    "value",
    "f",
    "at",
    "SDF",
];
/// Most classes that extend each other.
const MAX_BASES: usize = 8;

impl Translator<'_> {
    /// Values by name, each a value that may be repeated.
    pub(super) fn record(&mut self, fields: &[(String, Expr)], at: usize) -> Result<Expr> {
        let lowered = fields.iter().map(|(name, value)| {
            let value = self.lower(value)?;
            Ok((name.clone(), self.stored(name, value)?))
        });
        Ok(Expr::Record(lowered.collect::<Result<_>>()?, at))
    }

    /// A value of a field, which is bound unless it may be repeated.
    fn stored(&mut self, name: &str, value: Expr) -> Result<Expr> {
        match value {
            Expr::Text(_) | Expr::Record(..) => Ok(value),
            Expr::Call(ref function, ..)
                if matches!(function.as_str(), "mat2" | "mat3" | "vec4") =>
            {
                Ok(value)
            }
            value if crate::infinity::sign(&value) != 0 => Ok(value),
            value => self.atom(name, value),
        }
    }

    /// The value of a dictionary for a key.
    pub(super) fn field(&mut self, of: &Expr, key: &str) -> Result<Expr> {
        let Expr::Record(fields, _) = self.lower(of)? else {
            return Err(Untranslatable::Unknown);
        };
        let found = fields.into_iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value).ok_or(Untranslatable::Unknown)
    }

    /// Gives a field of an object a value.
    pub(super) fn set_field(&mut self, of: &str, field: &str, value: Expr) -> Result<bool> {
        let Some(Expr::Record(fields, at)) = self.values.get(of).cloned() else {
            return Ok(false);
        };
        // A second name of the object would change with it.
        let object = Expr::Record(fields.clone(), at);
        let is_shared = |(name, value): (&String, &Expr)| name != of && *value == object;
        if self.values.iter().any(is_shared) {
            return Err(Untranslatable::Unknown);
        }
        check_conditions(&self.values, of)?;
        let value = self.stored(field, value)?;
        let mut fields: Vec<(String, Expr)> = fields
            .into_iter()
            .filter(|(name, _)| name != field)
            .collect();
        fields.push((field.to_owned(), value));
        self.values.insert(of.to_owned(), Expr::Record(fields, at));
        Ok(true)
    }

    /// True if a value that is not lowered is a dictionary or an object.
    fn is_record(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name, _) => matches!(self.values.get(name), Some(Expr::Record(..))),
            Expr::Member(of, ..) | Expr::Index(of, _) => self.is_record(of),
            Expr::Call(name, ..) => self.classes.contains_key(name),
            Expr::Record(..) => true,
            _ => false,
        }
    }

    /// A call of a method of a dictionary or an object; `None` if the value is neither.
    pub(super) fn record_method(
        &mut self,
        of: &Expr,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        if !self.is_record(of) {
            return Ok(None);
        }
        let Expr::Record(fields, _) = self.lower(of)? else {
            return Ok(None);
        };
        if let Some(class) = class_of(&fields) {
            let object = Expr::Record(fields.clone(), at);
            return self
                .call_method(&class, text, &object, arguments, at)
                .map(Some);
        }
        let (
            "get",
            [
                Argument {
                    value: Expr::Text(key),
                    ..
                },
                default @ ..,
            ],
        ) = (text, arguments)
        else {
            return Err(Untranslatable::Unknown);
        };
        self.notes.add(at, Why::Method, ".get(...)");
        let found = fields.iter().find(|(name, _)| name == key);
        match (found, default) {
            (Some((_, value)), _) => Ok(Some(value.clone())),
            (None, [default]) => self.lower(&default.value).map(Some),
            (None, _) => Err(Untranslatable::Unknown),
        }
    }

    /// A call of an object, or of a class, which makes one; `None` if the name is neither.
    pub(super) fn record_call(
        &mut self,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        if let Some(Expr::Record(fields, _)) = self.values.get(text).cloned() {
            let class = class_of(&fields).ok_or(Untranslatable::Unknown)?;
            let object = Expr::Record(fields.clone(), at);
            return self
                .call_method(&class, "__call__", &object, arguments, at)
                .map(Some);
        }
        if self.classes.contains_key(text) {
            return self.object(text, arguments, at).map(Some);
        }
        let is_dictionary = matches!(text, "dict" | "SimpleNamespace") && self.is_unknown(text);
        let are_named = arguments.iter().all(|argument| argument.name.is_some());
        if !is_dictionary || !are_named {
            return Ok(None);
        }
        self.notes.add(at, Why::Python, text);
        let fields = arguments.iter().map(|argument| {
            let name = argument.name.clone().unwrap_or_default();
            (name, argument.value.clone())
        });
        self.record(&fields.collect::<Vec<_>>(), at).map(Some)
    }

    /// A class and those that it extends, as far as the text defines them; the first is the class itself.
    fn bases(&self, class: &str) -> Vec<Class> {
        let mut bases: Vec<Class> = Vec::new();
        let mut next = self.classes.get(class);
        while let Some(class) = next
            && bases.len() < MAX_BASES
        {
            bases.push(class.clone());
            next = class.base.as_ref().and_then(|base| self.classes.get(base));
        }
        bases
    }

    /// A new object of a class.
    fn object(&mut self, class: &str, arguments: &[Argument], at: usize) -> Result<Expr> {
        let bases = self.bases(class);
        let mut fields = vec![(CLASS.to_owned(), Expr::Text(class.to_owned()))];
        for attribute in bases.iter().rev().flat_map(|class| &class.attributes) {
            let value = attribute.default.as_ref().ok_or(Untranslatable::Unknown)?;
            let value = self.lower(value)?;
            let value = self.stored(&attribute.name, value)?;
            fields.retain(|(name, _)| *name != attribute.name);
            fields.push((attribute.name.clone(), value));
        }
        let own: Vec<Parameter> = bases
            .iter()
            .rev()
            .flat_map(|class| class.fields.clone())
            .collect();
        if !own.is_empty() {
            let values = self.arguments_of(&own, arguments, 0)?;
            for field in &own {
                let value = values
                    .get(&field.name)
                    .cloned()
                    .ok_or(Untranslatable::Unknown)?;
                let value = self.stored(&field.name, value)?;
                fields.push((field.name.clone(), value));
            }
        }
        let object = Expr::Record(fields, at);
        match method(&bases, &["__init__", "constructor"]) {
            Some((_, parameters, body)) => self.constructed(object, &parameters, &body, arguments),
            None if arguments.is_empty() || !own.is_empty() => Ok(object),
            None => Err(Untranslatable::Unknown),
        }
    }

    /// An object after the statements of its constructor.
    fn constructed(
        &mut self,
        object: Expr,
        parameters: &[Parameter],
        body: &[Statement],
        arguments: &[Argument],
    ) -> Result<Expr> {
        let (own, parameters) = own_parameter(parameters);
        let mut given = self.arguments_of(parameters, arguments, 0)?;
        given.insert(own.clone(), object);
        let values = self.entered(0, given)?;
        let (value, after) = self.inlined(values, 0, body)?;
        match (value, after.get(&own)) {
            (None, Some(object @ Expr::Record(..))) => Ok(object.clone()),
            _ => Err(Untranslatable::Unknown),
        }
    }

    fn call_method(
        &mut self,
        class: &str,
        text: &str,
        object: &Expr,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Expr> {
        let found = method(&self.bases(class), &[text]);
        let (_, parameters, body) = found.ok_or(Untranslatable::Unknown)?;
        let (own, parameters) = own_parameter(&parameters);
        self.notes.add(at, Why::Method, &format!(".{text}(...)"));
        let mut given = self.arguments_of(parameters, arguments, 0)?;
        given.insert(own.clone(), object.clone());
        let values = self.entered(0, given)?;
        let (value, after) = self.inlined(values, 0, &body)?;
        // A method that changes its object would do so for later calls.
        if after.get(&own) != Some(object) {
            return Err(Untranslatable::Unknown);
        }
        value.ok_or(Untranslatable::Unknown)
    }

    /// Lowered values of parameters: of the arguments of a call, else the defaults, in the scope of the function.
    pub(super) fn arguments_of(
        &mut self,
        parameters: &[Parameter],
        arguments: &[Argument],
        depth: usize,
    ) -> Result<Values> {
        let is_fineness = |argument: &&Argument| {
            let name = argument.name.as_deref();
            name.is_some_and(|name| name.starts_with('$'))
        };
        let is_known = |argument: &Argument| {
            let name = argument.name.as_ref();
            name.is_none_or(|name| parameters.iter().any(|own| own.name == *name))
        };
        let given = arguments.iter().filter(|argument| !is_fineness(argument));
        let given: Vec<&Argument> = given.collect();
        if given.len() > parameters.len() || !given.iter().all(|argument| is_known(argument)) {
            return Err(Untranslatable::Unknown);
        }
        let mut values = Values::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let mut named = given.iter();
            let named = named.find(|argument| argument.name.as_ref() == Some(&parameter.name));
            let value =
                named.or_else(|| given.get(index).filter(|argument| argument.name.is_none()));
            let is_by_name = value.is_none_or(|argument| argument.name.is_some());
            let value = value.map(|argument| &argument.value);
            let is_truth = matches!(value.or(parameter.default.as_ref()), Some(Expr::Bool(_)));
            let keeps_name = parameter.is_named || is_by_name && !parameter.is_assumed;
            if parameter.is_assumed && value.is_some() && value != parameter.default.as_ref() {
                return Err(Untranslatable::Unknown);
            }
            let value = match (value, &parameter.default) {
                (Some(value), _) => self.lower(value)?,
                (None, Some(default)) => {
                    let mut mentions = false;
                    default.names(&mut |name| {
                        mentions |= parameters.iter().any(|other| other.name == name);
                    });
                    if mentions {
                        return Err(Untranslatable::Unknown);
                    }
                    let scope = self.scope(depth);
                    let outside = std::mem::replace(&mut self.values, scope);
                    let value = self.lower(default)?;
                    self.values = outside;
                    value
                }
                (None, None) => return Err(Untranslatable::Unknown),
            };
            let value = if keeps_name && !is_truth {
                self.named_number(&parameter.name, value)
            } else {
                value
            };
            values.insert(parameter.name.clone(), value);
        }
        Ok(values)
    }

    /// The value at `pos` of an object of a class, whose arguments without a default are inputs.
    pub(super) fn main_object(&mut self, class: &str) -> Result<Expr> {
        let bases = self.bases(class);
        let refusal = Untranslatable::Construct(
            0,
            "class",
            "its objects have no value: it needs a method of the point such as sdf(self, p), or a last line such as Ball(5).sdf(pos)",
        );
        if bases.iter().all(|class| class.methods.is_empty()) {
            return Err(Untranslatable::Construct(
                0,
                "struct",
                "it is no value: name the values by let, and end with a value, as in let r = 5; length(pos) - r",
            ));
        }
        let found = VALUES
            .iter()
            .find(|text| method(&bases, &[**text]).is_some());
        let text = *found.ok_or_else(|| refusal.clone())?;
        let constructor = method(&bases, &["__init__", "constructor"]);
        let parameters = constructor.map_or_else(
            || {
                bases
                    .iter()
                    .rev()
                    .flat_map(|class| class.fields.clone())
                    .collect()
            },
            |(_, parameters, _)| own_parameter(&parameters).1.to_vec(),
        );
        let arguments = parameters
            .iter()
            .filter(|own| own.default.is_none())
            .map(|own| Argument {
                name: Some(own.name.clone()),
                value: name(&own.name),
            });
        let object = self.object(class, &arguments.collect::<Vec<_>>(), 0)?;
        let (_, parameters, _) = method(&bases, &[text]).ok_or(refusal)?;
        let point = match own_parameter(&parameters).1 {
            [_] => vec!["pos"],
            [_, _, _] => vec!["x", "y", "z"],
            _ => return Err(Untranslatable::Unknown),
        };
        let arguments = point.into_iter().map(|text| Argument {
            name: None,
            value: name(text),
        });
        self.call_method(class, text, &object, &arguments.collect::<Vec<_>>(), 0)
    }
}

/// The class that an object names.
fn class_of(fields: &[(String, Expr)]) -> Option<String> {
    match fields.iter().find(|(name, _)| name == CLASS) {
        Some((_, Expr::Text(class))) => Some(class.clone()),
        _ => None,
    }
}

/// A method of a class or of those that it extends.
fn method(bases: &[Class], names: &[&str]) -> Option<(String, Vec<Parameter>, Vec<Statement>)> {
    let mut methods = bases.iter().flat_map(|class| &class.methods);
    methods
        .find(|(name, ..)| names.contains(&name.as_str()))
        .cloned()
}

/// Name of the object in a method, and the other parameters: `self` is listed, `this` is not.
fn own_parameter(parameters: &[Parameter]) -> (String, &[Parameter]) {
    match parameters {
        [first, rest @ ..] if first.name == "self" => ("self".to_owned(), rest),
        all => ("this".to_owned(), all),
    }
}
