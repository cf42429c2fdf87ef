//! Symbol table of callables: built-in forms, node kinds, and functions of the project.
//!
//! An exact match wins over one that differs in ASCII case; of exact matches, a built-in form wins over a kind, and a
//! kind over a function of the project, which can still be called between back quotes.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use fibula_nodes::node::Family;
use fibula_nodes::{FunctionType, KindInfo, Value, catalogue, names};

use super::ast::Name;
use crate::graph::{Argument, Document, Function, FunctionData, FunctionId, NodeId};

/// Target of a call.
#[derive(Debug, Clone)]
pub(super) enum Callee {
    BuiltIn(BuiltIn),
    Polygon(CornerFormat),
    SweepPolyline,
    Kind(&'static KindInfo),
    Function(FunctionId, Arc<FunctionType>),
}

/// Format of the corners of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CornerFormat {
    /// Pairs of coordinates; all edges are straight.
    Pairs,
    /// Coordinates, and the bulge of the edge that follows: the tangent of a quarter of the angle of its arc, positive
    /// counterclockwise, 0 for a straight edge.
    Bulges,
}

/// Built-in forms that are no node kinds: literals, and compositions of several nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    /// A number.
    Number,
    /// A vector of three numbers; a constant if they are.
    Vector,
    /// A matrix of sixteen numbers; a constant if they are.
    Matrix,
    Normalize,
    Mix,
    Step,
    Smoothstep,
}

impl BuiltIn {
    /// Names of the arguments.
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

/// Names of polygons.
const POLYGONS: [(&str, CornerFormat); 2] = [
    ("polygon", CornerFormat::Pairs),
    ("arc_polygon", CornerFormat::Bulges),
];

/// Names of built-in forms that no kind has.
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

/// Symbols independent of a project: by exact name, and by lower-case name if that is unambiguous.
struct BuiltInNames {
    exact: HashMap<&'static str, Callee>,
    folded: HashMap<String, Option<&'static str>>,
}

static BUILT_INS: LazyLock<BuiltInNames> = LazyLock::new(|| {
    let mut exact = HashMap::new();
    for (name, built_in) in BUILT_IN {
        exact.insert(name, Callee::BuiltIn(built_in));
    }
    for (name, corners) in POLYGONS {
        exact.insert(name, Callee::Polygon(corners));
    }
    exact.insert("sweep_polyline", Callee::SweepPolyline);
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
    BuiltInNames { exact, folded }
});

impl Callee {
    fn is_same(&self, other: &Callee) -> bool {
        match (self, other) {
            (Callee::BuiltIn(a), Callee::BuiltIn(b)) => a == b,
            (Callee::Polygon(a), Callee::Polygon(b)) => a == b,
            (Callee::SweepPolyline, Callee::SweepPolyline) => true,
            (Callee::Kind(a), Callee::Kind(b)) => a.name == b.name,
            (Callee::Function(a, _), Callee::Function(b, _)) => a == b,
            (
                Callee::BuiltIn(_)
                | Callee::Polygon(_)
                | Callee::SweepPolyline
                | Callee::Kind(_)
                | Callee::Function(..),
                _,
            ) => false,
        }
    }
}

/// True if the first parameter of a kind is a function, whose inputs follow among the parameters.
pub(super) fn follows_function(about: &KindInfo) -> bool {
    (about.make)()
        .with_callee(&FunctionType::default())
        .is_some()
}

/// Reason why the lookup of a callable fails.
#[derive(Debug)]
pub(super) enum LookupError {
    /// Nothing has the name; with the nearest names.
    Unknown(Vec<String>),
    /// Several functions of the project have it.
    Ambiguous(Vec<FunctionId>),
}

/// Callables of a project.
#[derive(Debug)]
pub(super) struct SymbolTable<'d> {
    document: &'d Document,
    /// Cached types of functions.
    types: RefCell<HashMap<FunctionId, Arc<FunctionType>>>,
    /// Functions of the project by lower-case name, sorted by id; built on first use.
    functions: OnceCell<HashMap<String, Vec<(FunctionId, &'d str)>>>,
}

impl<'d> SymbolTable<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        SymbolTable {
            document,
            types: RefCell::default(),
            functions: OnceCell::new(),
        }
    }

    /// Looks up the target of a call.
    pub(super) fn resolve_call(&self, name: &Name<'_>) -> Result<Callee, LookupError> {
        let text = &*name.text;
        if name.quoted {
            return self.function_named(text);
        }
        if let Some(callee) = BUILT_INS.exact.get(text) {
            return Ok(callee.clone());
        }
        if self.spelled(text).is_empty()
            && let Some(Some(known)) = BUILT_INS.folded.get(&text.to_ascii_lowercase())
        {
            return Ok(BUILT_INS.exact[known].clone());
        }
        self.function_named(text)
    }

    /// True if a call of `name` has one or more possible targets.
    pub(super) fn contains(&self, name: &Name<'_>) -> bool {
        let text = &*name.text;
        let is_known = BUILT_INS.exact.contains_key(text)
            || matches!(
                BUILT_INS.folded.get(&text.to_ascii_lowercase()),
                Some(Some(_))
            );
        !name.quoted && is_known || !self.folded(text).is_empty()
    }

    /// True if a callable has exactly this name, so it is not inferred as an argument.
    pub(super) fn is_callable(&self, name: &Name<'_>) -> bool {
        let known = !name.quoted && BUILT_INS.exact.contains_key(&*name.text);
        let text = &*name.text;
        known || self.folded(text).iter().any(|(_, is)| *is == text)
    }

    /// Looks up a function of the project by name.
    pub(super) fn function_named(&self, name: &str) -> Result<Callee, LookupError> {
        let spelled = self.spelled(name);
        let found = match spelled[..] {
            [] => self.folded(name).iter().map(|&(id, _)| id).collect(),
            _ => spelled,
        };
        match found[..] {
            [] => Err(LookupError::Unknown(self.nearest(name))),
            [only] => Ok(self.function(only).expect("it was listed")),
            [first, ..] if self.are_all_copies(&found) => {
                Ok(self.function(first).expect("it was listed"))
            }
            _ => Err(LookupError::Ambiguous(found)),
        }
    }

    /// True if a few functions are copies of each other, as when a file is imported twice.
    fn are_all_copies(&self, ids: &[FunctionId]) -> bool {
        const MOST: usize = 8;
        let [first, others @ ..] = ids else {
            return false;
        };
        ids.len() <= MOST && others.iter().all(|other| self.is_copy(*first, *other))
    }

    /// True if two functions are copies, as [`are_copies`](super::are_copies) has it.
    pub(super) fn is_copy(&self, one: FunctionId, other: FunctionId) -> bool {
        /// Maximum number of pairs of functions that are compared.
        const MOST: usize = 64;
        let (mut waiting, mut seen) = (vec![(one, other)], HashSet::new());
        while let Some((one, other)) = waiting.pop() {
            if one == other || !seen.insert((one, other)) {
                continue;
            }
            if seen.len() > MOST || !self.differ_in_callees_only(one, other, &mut waiting) {
                return false;
            }
        }
        true
    }

    /// True if two functions are equal but for the functions that they refer to, whose pairs are added to `callees`.
    fn differ_in_callees_only(
        &self,
        one: FunctionId,
        other: FunctionId,
        callees: &mut Vec<(FunctionId, FunctionId)>,
    ) -> bool {
        let split = |id| Some(self.split_callees(self.document.find_function(id)?));
        let Some(((one, own), (other, others))) = split(one).zip(split(other)) else {
            return false;
        };
        let places = |callees: &[(NodeId, usize, FunctionId)]| -> Vec<(NodeId, usize)> {
            callees
                .iter()
                .map(|&(node, place, _)| (node, place))
                .collect()
        };
        let is_same = one == other && places(&own) == places(&others);
        let pairs = own.into_iter().zip(others);
        callees.extend(pairs.map(|((_, _, one), (_, _, other))| (one, other)));
        is_same
    }

    /// A function without its name and id and without the functions that its nodes refer to; and these, by node and parameter.
    fn split_callees(
        &self,
        function: &Function,
    ) -> (FunctionData, Vec<(NodeId, usize, FunctionId)>) {
        let mut data = FunctionData {
            function_id: None,
            name: String::new(),
            ..function.data()
        };
        let mut callees = Vec::new();
        for (node, data) in function.nodes().zip(&mut data.nodes) {
            for (place, parameter) in node.signature().parameters.iter().enumerate() {
                if let Argument::Value(Value::ResourceId(id)) = node.argument(place)
                    && self.function(FunctionId::from(*id)).is_some()
                {
                    callees.push((node.id(), place, FunctionId::from(*id)));
                    data.parameters.remove(&*parameter.name);
                }
            }
        }
        (data, callees)
    }

    /// Looks up a function graph or image function by id.
    pub(super) fn function(&self, id: FunctionId) -> Option<Callee> {
        let known = self.types.borrow().get(&id).cloned();
        let ty = match known {
            Some(known) => known,
            None => self.document.function_type(id.into())?.into(),
        };
        self.types.borrow_mut().insert(id, Arc::clone(&ty));
        Some(Callee::Function(id, ty))
    }

    /// Name of the function with an id.
    pub(super) fn name(&self, id: FunctionId) -> Option<&'d str> {
        if let Ok(function) = self.document.function(id) {
            return Some(function.name());
        }
        let image = self.document.image_function(id.into());
        image.map(|image| image.name.as_str())
    }

    /// Functions with exactly this name.
    fn spelled(&self, name: &str) -> Vec<FunctionId> {
        let folded = self.folded(name).iter();
        folded
            .filter(|(_, is)| *is == name)
            .map(|&(id, _)| id)
            .collect()
    }

    /// Functions with this name, ignoring ASCII case.
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
        let images = document.resources().filter_map(|(id, resource)| {
            let image = resource.image_function()?;
            Some((id.into(), image.name.as_str()))
        });
        let graphs = document
            .functions()
            .map(|function| (function.id(), function.name()));
        graphs.chain(images)
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        // Lists "sin", but not "Sine", too.
        let small = |name: &&str| !name.starts_with(|c: char| c.is_ascii_uppercase());
        let known = BUILT_INS.exact.keys().copied().filter(small);
        names::nearest(name, known.chain(self.all().map(|(_, name)| name)))
    }
}
