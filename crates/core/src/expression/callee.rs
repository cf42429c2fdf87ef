//! What the name before a parenthesis stands for: something built in, a kind of node, or a function of the project.
//!
//! A name as it is spelled wins over one that differs in ASCII case; of names spelled alike, a built-in form wins
//! over a kind, and a kind over a function of the project, which is still reached between back quotes.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use fibula_nodes::node::Family;
use fibula_nodes::{FunctionType, KindInfo, catalogue, names};

use super::tree::Name;
use crate::graph::{Document, FunctionId, Resource};

/// What is called.
#[derive(Debug, Clone)]
pub(super) enum Callee {
    BuiltIn(BuiltIn),
    Kind(&'static KindInfo),
    Function(FunctionId, Arc<FunctionType>),
}

/// Calls that are no kind of node: literals, and compositions of several nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    /// A number as it is.
    Number,
    /// A vector of three numbers, a constant if they are.
    Vector,
    /// A matrix of sixteen numbers, a constant if they are.
    Matrix,
    Normalize,
    Mix,
    Step,
    Smoothstep,
}

impl BuiltIn {
    /// The names of the arguments.
    pub(super) fn parameters(self) -> &'static [&'static str] {
        match self {
            BuiltIn::Number => &["value"],
            BuiltIn::Vector => &["x", "y", "z"],
            BuiltIn::Matrix => &[
                "m00", "m01", "m02", "m03", "m10", "m11", "m12", "m13", "m20", "m21", "m22", "m23",
                "m30", "m31", "m32", "m33",
            ],
            BuiltIn::Normalize => &["v"],
            BuiltIn::Mix => &["a", "b", "t"],
            BuiltIn::Step => &["edge", "x"],
            BuiltIn::Smoothstep => &["from", "to", "x"],
        }
    }
}

/// Names that no kind has.
const BUILT_IN: [(&str, BuiltIn); 8] = [
    ("vec3", BuiltIn::Vector),
    ("float3", BuiltIn::Vector),
    ("mat4", BuiltIn::Matrix),
    ("matrix4x4", BuiltIn::Matrix),
    ("normalize", BuiltIn::Normalize),
    ("mix", BuiltIn::Mix),
    ("step", BuiltIn::Step),
    ("smoothstep", BuiltIn::Smoothstep),
];

/// What is known without a project: by its spelling, and by its spelling in lower case if that is unique.
struct Known {
    exact: HashMap<&'static str, Callee>,
    folded: HashMap<String, Option<&'static str>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut exact = HashMap::new();
    for (name, built_in) in BUILT_IN {
        exact.insert(name, Callee::BuiltIn(built_in));
    }
    for &about in catalogue::catalogue() {
        let callee = match (about.family, about.name) {
            (Family::Boundary, _) => continue,
            (_, "ConstantScalar") => Callee::BuiltIn(BuiltIn::Number),
            (_, "ConstantVector") => Callee::BuiltIn(BuiltIn::Vector),
            (_, "ConstantMatrix") => Callee::BuiltIn(BuiltIn::Matrix),
            _ => Callee::Kind(about),
        };
        let names = [about.element, about.name].into_iter();
        for name in names.chain(about.aliases.iter().copied()) {
            exact.entry(name).or_insert_with(|| callee.clone());
        }
    }
    let mut folded: HashMap<String, Option<&'static str>> = HashMap::new();
    let mut sorted: Vec<&'static str> = exact.keys().copied().collect();
    sorted.sort_unstable();
    for name in sorted {
        let same = |other: &'static str| exact[other].is_same(&exact[name]);
        folded
            .entry(name.to_ascii_lowercase())
            .and_modify(|other| *other = other.filter(|other| same(other)))
            .or_insert(Some(name));
    }
    Known { exact, folded }
});

impl Callee {
    fn is_same(&self, other: &Callee) -> bool {
        match (self, other) {
            (Callee::BuiltIn(a), Callee::BuiltIn(b)) => a == b,
            (Callee::Kind(a), Callee::Kind(b)) => a.name == b.name,
            (Callee::Function(a, _), Callee::Function(b, _)) => a == b,
            (Callee::BuiltIn(_) | Callee::Kind(_) | Callee::Function(..), _) => false,
        }
    }
}

/// Whether the first parameter of a kind is a function of the project, whose inputs follow among the parameters.
pub(super) fn follows_function(about: &KindInfo) -> bool {
    (about.make)()
        .with_callee(&FunctionType::default())
        .is_some()
}

/// Why a name stands for nothing that can be called.
#[derive(Debug)]
pub(super) enum NotFound {
    /// Nothing has the name; these are near.
    Unknown(Vec<String>),
    /// Several functions of the project have it.
    Ambiguous(Vec<FunctionId>),
}

/// Everything that can be called in a project.
#[derive(Debug)]
pub(super) struct Callees<'d> {
    document: &'d Document,
    /// The types of functions that were found.
    types: RefCell<HashMap<FunctionId, Arc<FunctionType>>>,
    /// The project's functions by their names in lower case, sorted by id; made when it is first needed.
    functions: OnceCell<HashMap<String, Vec<(FunctionId, &'d str)>>>,
}

impl<'d> Callees<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Callees {
            document,
            types: RefCell::default(),
            functions: OnceCell::new(),
        }
    }

    /// What `name` stands for before a parenthesis.
    pub(super) fn called(&self, name: &Name<'_>) -> Result<Callee, NotFound> {
        let text = &*name.text;
        if name.quoted {
            return self.function_named(text);
        }
        if let Some(callee) = KNOWN.exact.get(text) {
            return Ok(callee.clone());
        }
        if self.spelled(text).is_empty()
            && let Some(Some(known)) = KNOWN.folded.get(&text.to_ascii_lowercase())
        {
            return Ok(KNOWN.exact[known].clone());
        }
        self.function_named(text)
    }

    /// Whether `name` stands for something, or for several things, before a parenthesis.
    pub(super) fn knows(&self, name: &Name<'_>) -> bool {
        let text = &*name.text;
        let is_known = KNOWN.exact.contains_key(text)
            || matches!(KNOWN.folded.get(&text.to_ascii_lowercase()), Some(Some(_)));
        !name.quoted && is_known || !self.folded(text).is_empty()
    }

    /// Whether `name`, spelled so, can be called or referred to, and so is hardly meant as an argument.
    pub(super) fn is_callable(&self, name: &Name<'_>) -> bool {
        let known = !name.quoted && KNOWN.exact.contains_key(&*name.text);
        let text = &*name.text;
        known || self.folded(text).iter().any(|(_, is)| *is == text)
    }

    /// The project's function called `name`.
    pub(super) fn function_named(&self, name: &str) -> Result<Callee, NotFound> {
        let spelled = self.spelled(name);
        let found = match spelled[..] {
            [] => self.folded(name).iter().map(|&(id, _)| id).collect(),
            _ => spelled,
        };
        match found[..] {
            [] => Err(NotFound::Unknown(self.nearest(name))),
            [only] => Ok(self.function(only).expect("it was listed")),
            _ => Err(NotFound::Ambiguous(found)),
        }
    }

    /// The project's function with an id: a graph, or an image that is called like one.
    pub(super) fn function(&self, id: FunctionId) -> Option<Callee> {
        let known = self.types.borrow().get(&id).cloned();
        let ty = match known {
            Some(known) => known,
            None => self.type_of(id)?.into(),
        };
        self.types.borrow_mut().insert(id, Arc::clone(&ty));
        Some(Callee::Function(id, ty))
    }

    fn type_of(&self, id: FunctionId) -> Option<FunctionType> {
        if let Ok(function) = self.document.function(id) {
            return Some(function.ty());
        }
        match self.document.resource(id.into())? {
            Resource::ImageFunction(image) => Some(image.ty()),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        }
    }

    /// The name of the project's function with an id.
    pub(super) fn name(&self, id: FunctionId) -> Option<&'d str> {
        if let Ok(function) = self.document.function(id) {
            return Some(function.name());
        }
        match self.document.resource(id.into())? {
            Resource::ImageFunction(image) => Some(&image.name),
            Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
        }
    }

    /// The functions whose name is spelled so.
    fn spelled(&self, name: &str) -> Vec<FunctionId> {
        let folded = self.folded(name).iter();
        folded
            .filter(|(_, is)| *is == name)
            .map(|&(id, _)| id)
            .collect()
    }

    /// The functions whose name differs in ASCII case at most.
    fn folded(&self, name: &str) -> &[(FunctionId, &'d str)] {
        let functions = self.functions.get_or_init(|| {
            let mut functions: HashMap<String, Vec<(FunctionId, &str)>> = HashMap::new();
            for (id, name) in self.all() {
                let folded = functions.entry(name.to_ascii_lowercase());
                folded.or_default().push((id, name));
            }
            functions
        });
        functions
            .get(&name.to_ascii_lowercase())
            .map_or(&[], Vec::as_slice)
    }

    fn all(&self) -> impl Iterator<Item = (FunctionId, &'d str)> {
        let document = self.document;
        let images = document
            .resources()
            .filter_map(|(id, resource)| match resource {
                Resource::ImageFunction(image) => Some((id.into(), &*image.name)),
                Resource::Content(_) | Resource::File(_) | Resource::Model(_) => None,
            });
        let graphs = document
            .functions()
            .map(|function| (function.id(), function.name()));
        graphs.chain(images)
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        // A slip is rather one of "sin" than one of "Sine": both would be listed.
        let small = |name: &&str| !name.starts_with(|c: char| c.is_ascii_uppercase());
        let known = KNOWN.exact.keys().copied().filter(small);
        names::nearest(name, known.chain(self.all().map(|(_, name)| name)))
    }
}
