//! Resolver: checks references, interprets functions, and sorts objects topologically, components first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibula_core::graph::model::{Body, Field, ObjectType};
use fibula_core::graph::{Document, FunctionData, ImageFunction, NodeData, Setting};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};

use super::element::Space;
use super::error::{Problem, ReadError, brief};
use super::fold::{FileContext, folded};
use super::model::File;
use super::object::ParsedObject;
use super::order::{self, needed_first, shortened};
use super::ports::PortNames;
use super::resources::{self, Kind, Owner};
use super::sampler::{self, SAMPLER};
use super::scope::{self, Known, sanitised};
use super::{Limits, Model, built, function};

/// The extensions whose resources and attributes are kept without being understood.
const KEPT: [&str; 6] = [
    "http://schemas.microsoft.com/3dmanufacturing/material/",
    "http://schemas.microsoft.com/3dmanufacturing/production/",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/",
    "http://schemas.microsoft.com/3dmanufacturing/slice/",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/",
    "http://schemas.3mf.io/3dmanufacturing/displacement/",
];

/// What a field takes.
const SCALAR: &[Type] = &[Type::Float];
const COLOR: &[Type] = &[Type::Float3];
const EITHER: &[Type] = &[Type::Float, Type::Float3];

/// The functions, and those that are images.
type Functions = (Vec<FunctionData>, Vec<(ResourceId, ImageFunction)>);

/// The function types that are known, by their ids.
type Types = BTreeMap<u32, FunctionType>;

impl File<'_> {
    /// The whole model.
    pub(super) fn into_model(mut self, limits: &Limits) -> Result<Model, ReadError> {
        resources::check(&self.references, &self.resources, &self.part, self.findings)?;
        self.check_build()?;
        let needs = self.needs();
        for name in self.functions.iter().flat_map(|function| &function.skipped) {
            let why = "its namespace is not known";
            self.left_out
                .add(format!("element {name} in a function"), None, why);
        }
        let types = self.types()?;
        let (functions, image_functions) = self.understood(&types, limits)?;
        self.check_fields(&types)?;
        self.order_things(&needs)?;
        self.suspect(&types);
        let images = self.pictures.into_iter();
        Ok(Model {
            info: self.info,
            metadata: self.metadata,
            functions,
            image_functions,
            images: images.map(|one| (one.id, one.stack)).collect(),
            objects: self
                .things
                .into_iter()
                .map(|one| (one.id, one.object))
                .collect(),
            volumes: self
                .volumes
                .into_iter()
                .map(|one| (one.id, one.data))
                .collect(),
            foreign: self.foreign,
            items: self.items,
            parts: BTreeMap::new(),
            contents: self.contents,
            repairs: Vec::new(),
            left_out: self.left_out.list(),
        })
    }

    /// Holds the build against the types of the objects.
    fn check_build(&mut self) -> Result<(), ReadError> {
        let others = self.things.iter();
        let others = others.filter(|thing| thing.object.object_type == ObjectType::Other);
        let others: BTreeSet<u32> = others.map(|thing| thing.id.0).collect();
        for reference in &self.references {
            if let Owner::Item(item) = reference.owner
                && others.contains(&reference.id)
            {
                let object = reference.id;
                let problem = Problem::NotBuildable { item, object };
                let place = self.part.at_line(reference.line);
                self.findings.fail(problem.at(place))?;
            }
        }
        Ok(())
    }

    /// What all functions take and give.
    fn types(&mut self) -> Result<Types, ReadError> {
        let images = self.picture_functions.iter();
        let mut types: Types = images.map(|one| (one.id.0, one.function.ty())).collect();
        let functions = std::mem::take(&mut self.functions);
        for function in functions {
            let step = scope::ends(&function, &mut self.findings.repairs);
            match self.findings.pass(step)? {
                Some(ty) => {
                    types.insert(function.id, ty);
                    let names = PortNames::of(&function);
                    let names = (!names.is_empty()).then_some((function.id, names));
                    self.names.extend(names);
                    self.functions.push(function);
                }
                None => {
                    self.resources.insert(function.id, Kind::Broken);
                }
            }
        }
        Ok(types)
    }

    /// The functions as the graph takes them, callees before callers.
    fn understood(&mut self, types: &Types, limits: &Limits) -> Result<Functions, ReadError> {
        let mut document = Document::default();
        let mut images = Vec::new();
        for one in std::mem::take(&mut self.picture_functions) {
            let (mut function, id) = (one.function, one.id);
            let otherwise = format!("function_{id}");
            let repairs = &mut self.findings.repairs;
            function.name = scope::cleaned(&function.name, &otherwise, &one.place, repairs);
            let step = built::image_function(&mut document, id, &function, &one.place);
            match self.findings.pass(step)? {
                Some(()) => images.push((id, function)),
                None => {
                    self.resources.insert(id.0, Kind::Broken);
                }
            }
        }
        let pictures = images.iter();
        let pictures =
            pictures.map(|(id, image): &(ResourceId, ImageFunction)| (id.0, image.clone()));
        let around = FileContext {
            types,
            images: &pictures.collect(),
        };
        let mut functions = Vec::new();
        for index in self.callees_first(types, limits)? {
            let raw = &self.functions[index];
            let known = Known {
                types,
                names: &self.names,
                resources: &self.resources,
            };
            let is_broken = |id| self.resources.get(&id) == Some(&Kind::Broken);
            // The graph knows nothing of a function that could not be read, so it has no word on those that call it.
            let on_broken = raw.named_resources().any(is_broken);
            let repairs = &mut self.findings.repairs;
            let step = function::understood(raw, &known, repairs).and_then(|data| {
                let (data, rows) = folded(data, raw, around);
                if !on_broken {
                    built::function(&mut document, raw, &data, &rows)?;
                }
                Ok(data)
            });
            match self.findings.pass(step)? {
                Some(data) if !on_broken => functions.push(data),
                Some(_) | None => {
                    self.resources.insert(raw.id, Kind::Broken);
                }
            }
        }
        images.retain(|(id, image)| !sampler::is_made(image) || self.is_called(*id, &functions));
        Ok((functions, images))
    }

    /// Whether a function or a field names an image function.
    fn is_called(&self, id: ResourceId, functions: &[FunctionData]) -> bool {
        let named = |node: &NodeData| {
            let names = [FUNCTION_ID, "resourceid"];
            // A sampler names the image itself.
            node.node_type != SAMPLER
                && names.iter().any(|name| match node.parameters.get(*name) {
                    Some(Setting::Value(value)) => value.as_u64() == Some(id.0.into()),
                    Some(Setting::Source(_)) | None => false,
                })
        };
        let mut nodes = functions.iter().flat_map(|function| &function.nodes);
        nodes.any(named) || self.references.iter().any(|one| one.id == id.0)
    }

    /// The order of the functions; those that cannot have one are left out.
    fn callees_first(&mut self, types: &Types, limits: &Limits) -> Result<Vec<usize>, ReadError> {
        /// How many functions in the way of an order are named.
        const MOST: usize = 1000;
        /// How many functions and nodes are gone over for that; an order goes over all of them.
        const WORK: usize = 500_000;
        let nodes = self.functions.iter().map(|one| 1 + one.nodes.len());
        let most = (WORK / nodes.sum::<usize>().max(1)).clamp(1, MOST);
        for _ in 0..most {
            let known = Known {
                types,
                names: &self.names,
                resources: &self.resources,
            };
            let order = order::callees_first(&self.functions, &known, limits);
            let error = match order {
                Ok(order) => return Ok(order),
                Err(error) => error,
            };
            let broken = error.place.function.as_ref().map(|(id, _)| *id);
            self.findings.fail(error)?;
            // Without the function there is an order, or the next one is in the way.
            let before = self.functions.len();
            self.functions.retain(|one| Some(one.id) != broken);
            if self.functions.len() == before {
                break;
            }
            self.resources
                .extend(broken.map(|broken| (broken, Kind::Broken)));
        }
        // The others have no order either, and are not made.
        let left = self.functions.iter().map(|one| (one.id, Kind::Broken));
        self.resources.extend(left);
        Ok(Vec::new())
    }

    /// Holds the fields of level sets and volumes against the functions that they name.
    fn check_fields(&mut self, types: &Types) -> Result<(), ReadError> {
        let mut things = std::mem::take(&mut self.things);
        for thing in &mut things {
            if let Body::LevelSet(level_set) = &mut thing.object.body {
                let owner = Owner::Object(thing.id.0);
                let what = format!("the level set of {owner}");
                self.check_field(&what, &mut level_set.field, SCALAR, thing.line, types)?;
            }
        }
        self.things = things;
        let mut volumes = std::mem::take(&mut self.volumes);
        for volume in &mut volumes {
            let what = Owner::Volume(volume.id.0).to_string();
            let mut lines = volume.lines.iter().copied();
            let mut line = || lines.next().unwrap_or(1);
            let data = &mut volume.data;
            for field in data.composite.iter_mut().flat_map(|one| &mut one.materials) {
                self.check_field(
                    &format!("the composite of {what}"),
                    field,
                    SCALAR,
                    line(),
                    types,
                )?;
            }
            if let Some(field) = &mut data.color {
                self.check_field(
                    &format!("the colour of {what}"),
                    field,
                    COLOR,
                    line(),
                    types,
                )?;
            }
            let mut names = BTreeSet::new();
            for property in &mut data.properties {
                let line = line();
                if !names.insert(property.name.clone()) {
                    let text = format!("{what} has two properties '{}'", brief(&property.name));
                    let error = Problem::DuplicateId(text).at(self.part.at_line(line));
                    self.findings.fail(error)?;
                }
                let what = format!("the property {} of {what}", brief(&property.name));
                self.check_field(&what, &mut property.field, EITHER, line, types)?;
            }
        }
        self.volumes = volumes;
        Ok(())
    }

    /// Holds a field against the function that it names, whose output it names as the project does then.
    fn check_field(
        &mut self,
        what: &str,
        field: &mut Field,
        wants: &'static [Type],
        line: u64,
        types: &Types,
    ) -> Result<(), ReadError> {
        let function = field.function_id.0;
        // Whether it is a function was told where references were checked.
        let Some(ty) = types.get(&function) else {
            return Ok(());
        };
        let what = what.to_owned();
        let position = |port: &PortSpec| port.name == "pos" && port.ty == Type::Float3;
        let identifier = sanitised(&field.channel);
        let renamed = self.names.get(&function);
        let written = renamed.map_or(identifier.as_str(), |names| names.output(&identifier));
        let found = ty.outputs.iter().find(|port| port.name == written);
        let mut alike = ty
            .outputs
            .iter()
            .filter(|port| port.name.eq_ignore_ascii_case(written));
        let named = |port: &PortSpec| format!("{}: {}", brief(&port.name), port.ty);
        let alone = match (alike.next(), alike.next()) {
            (Some(one), None) => Some(one),
            (Some(_) | None, _) => None,
        };
        let problem = if !ty.inputs.iter().any(position) {
            Problem::NoPosition {
                what,
                function,
                inputs: ty.inputs.iter().map(named).collect(),
            }
        } else if let Some(port) = found.or(alone) {
            if port.name != written || identifier != field.channel {
                let message = format!(
                    "the channel '{}' is read as '{}'",
                    brief(&field.channel),
                    brief(&port.name)
                );
                let place = self.part.at_line(line);
                self.findings.repair("channel_name", place, message);
            }
            field.channel.clone_from(&port.name);
            if wants.contains(&port.ty) {
                self.further_inputs(&what, function, ty.inputs.len(), line);
                return Ok(());
            }
            Problem::ChannelType {
                what,
                function,
                channel: brief(&field.channel),
                wants: match wants {
                    [Type::Float] => "a float",
                    [Type::Float3] => "a float3",
                    _ => "a float or a float3",
                },
                got: port.ty,
            }
        } else {
            Problem::UnknownChannel {
                what,
                function,
                channel: brief(&field.channel),
                outputs: ty.outputs.iter().map(named).collect(),
            }
        };
        self.findings.fail(problem.at(self.part.at_line(line)))
    }

    fn further_inputs(&mut self, what: &str, function: u32, inputs: usize, line: u64) {
        if inputs > 1 {
            let message = format!(
                "{what} asks function {function}, which has {} inputs beside pos that nothing sets",
                inputs - 1
            );
            let fix = "let it ask a function of pos alone that calls this one";
            let place = self.part.at_line(line);
            self.findings.warn("further_inputs", place, message, fix);
        }
    }

    /// Which resource refers to which, and in which line. Functions need what their constants name, whether they call
    /// it or not; their own id is no more than a number.
    fn needs(&self) -> Vec<(u32, u32, u64)> {
        let references = self.references.iter();
        let references =
            references.filter_map(|one| Some((one.owner.resource()?, one.id, one.line)));
        let named = self.functions.iter().flat_map(|function| {
            let others = function.named_resources();
            let others = others.filter(|other| *other != function.id);
            let line = function.place.line.unwrap_or(1);
            others.map(move |other| (function.id, other, line))
        });
        references.chain(named).collect()
    }

    /// Puts the parts of objects before them, else as they stand in the file. Where they go in circles they stay, and the
    /// first circles are told.
    fn order_things(&mut self, all: &[(u32, u32, u64)]) -> Result<(), ReadError> {
        /// So many circles are told, since each is looked for in all that is left.
        const CIRCLES: usize = 8;
        let things: BTreeSet<u32> = self.things.iter().map(|thing| thing.id.0).collect();
        // What is no object comes first, so that it leaves the objects where they are.
        let others = self.resources.keys().copied();
        let others: Vec<u32> = others.filter(|id| !things.contains(id)).collect();
        let own = self.things.iter().map(|thing| thing.id.0);
        let ids: Vec<u32> = others.iter().copied().chain(own).collect();
        let index: HashMap<u32, usize> = ids.iter().copied().zip(0..).collect();
        let mut needs = vec![Vec::new(); ids.len()];
        for (owner, needed, _) in all {
            // Functions that call each other are broken, and were told of as such.
            if self.resources.get(owner) != Some(&Kind::Broken)
                && let (Some(&owner), Some(&needed)) = (index.get(owner), index.get(needed))
            {
                needs[owner].push(needed);
            }
        }
        for _ in 0..CIRCLES {
            let circle = match needed_first(&needs) {
                Err(circle) => circle,
                Ok(order) => {
                    let mut things: Vec<Option<ParsedObject>> =
                        self.things.drain(..).map(Some).collect();
                    let order = order.into_iter();
                    let order = order.filter_map(|at| at.checked_sub(others.len()));
                    self.things = order.filter_map(|at| things[at].take()).collect();
                    break;
                }
            };
            let path: Vec<String> = circle.iter().map(|&at| ids[at].to_string()).collect();
            let first = ids[circle[0]];
            let thing = self.things.iter().find(|thing| thing.id.0 == first);
            let reference = all.iter().find(|(owner, ..)| *owner == first);
            let line = thing.map(|thing| thing.line);
            let line = line.or(reference.map(|(.., line)| *line)).unwrap_or(1);
            let problem = Problem::RecursiveObject(shortened(&path));
            self.findings.fail(problem.at(self.part.at_line(line)))?;
            for at in circle {
                needs[at].clear();
            }
        }
        Ok(())
    }

    /// Warns of what is allowed, but probably not meant.
    fn suspect(&mut self, types: &Types) {
        let volumetric =
            !self.volumes.is_empty() || !self.pictures.is_empty() || self.has_level_set();
        let implicit = !self.functions.is_empty();
        for (space, used, name, prefix) in [
            (Space::Volumetric, volumetric, "volumetric", "v"),
            (Space::Implicit, implicit, "implicit", "i"),
        ] {
            if used && !self.required.contains(&space) {
                let message = format!(
                    "the file uses the {name} extension, but requiredextensions does not name it"
                );
                let fix = format!("add its prefix, mostly {prefix}, to requiredextensions");
                let place = self.part.clone();
                self.findings
                    .warn("extension_not_required", place, message, &fix);
            }
        }
        for uri in &self.info.required {
            if !KEPT.iter().any(|known| uri.starts_with(known)) {
                let message = format!(
                    "the file needs the extension {}, which is not known here",
                    brief(uri)
                );
                let fix = "what it says is kept as it is, but not understood";
                let place = self.part.clone();
                self.findings
                    .warn("unknown_required_extension", place, message, fix);
            }
        }
        let mut used: BTreeSet<u32> = self.references.iter().map(|one| one.id).collect();
        for function in &self.functions {
            used.extend(function.named_resources());
        }
        for function in &self.functions {
            if types.contains_key(&function.id) && !used.contains(&function.id) {
                let message = "nothing in the file uses the function".to_owned();
                let fix = "name it in a level set, in volume data or in a call, or remove it";
                let place = function.place.clone();
                self.findings.warn("unused_function", place, message, fix);
            }
        }
        if self.items.is_empty() && !self.things.is_empty() {
            let message =
                "the file has objects, but no build item, so nothing would be built".to_owned();
            let place = self.part.clone();
            self.findings
                .warn("empty_build", place, message, "add an <item> to <build>");
        }
    }

    fn has_level_set(&self) -> bool {
        let is = |thing: &ParsedObject| matches!(thing.object.body, Body::LevelSet(_));
        self.things.iter().any(is)
    }
}
