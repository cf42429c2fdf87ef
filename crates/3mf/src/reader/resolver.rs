//! Resolver: checks references, interprets functions, and sorts objects topologically.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibula_core::graph::model::{Body, Field, ObjectType};
use fibula_core::graph::{Document, FunctionData, ImageFunction, NodeData, Setting};
use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};

use super::ModelReader;
use super::objects::ParsedObject;
use crate::error::{Problem, ReadError, brief};
use crate::functions::graph_insertion::{insert_function, insert_image_function};
use crate::functions::lifting::{FileContext, lift};
use crate::functions::port_names::{PortNames, sanitize};
use crate::functions::scope::{FileIndex, clean_name, function_type, read_as};
use crate::functions::{call_order, interpret};
use crate::limits::Limits;
use crate::model::Model;
use crate::references::{ReferenceOwner, ResourceClass, check_references};
use crate::resource_order::{self, Needs, OrderEntry};
use crate::roundtrip::image_sampler::{self, IMAGE_SAMPLER};
use crate::topological_sort::{abbreviate_path, topological_sort};
use crate::xml::element::Schema;
use crate::xml::fragment;

/// Extensions whose resources and attributes are kept without being understood.
const KEPT: [&str; 6] = [
    "http://schemas.microsoft.com/3dmanufacturing/material/",
    "http://schemas.microsoft.com/3dmanufacturing/production/",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/",
    "http://schemas.microsoft.com/3dmanufacturing/slice/",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/",
    "http://schemas.3mf.io/3dmanufacturing/displacement/",
];

/// Types that a scalar field takes.
const SCALAR: &[Type] = &[Type::Float];
const COLOR: &[Type] = &[Type::Float3];
const EITHER: &[Type] = &[Type::Float, Type::Float3];

/// Functions and image functions.
type Functions = (Vec<FunctionData>, Vec<(ResourceId, ImageFunction)>);

/// Types of the functions, by their ids.
type Types = BTreeMap<u32, FunctionType>;

impl ModelReader<'_> {
    /// Resolves the model.
    pub(crate) fn into_model(mut self, limits: &Limits) -> Result<Model, ReadError> {
        check_references(&self.references, &self.resources, &self.part, self.findings)?;
        self.check_build()?;
        let needs = self.dependencies();
        for function in &self.functions {
            for one in &function.skipped {
                let why = if one.is_known {
                    "functions have no such content, and a project has no place for it"
                } else {
                    "it belongs to another extension, and a project has no place for it in functions"
                };
                self.left_out.add(one.what.clone(), Some(function.id), why);
            }
        }
        let types = self.types()?;
        let (functions, image_functions) = self.interpret_functions(&types, limits)?;
        self.check_fields(&types)?;
        self.sort_objects(&needs)?;
        self.warn_suspicious(&types);
        let images = image_functions.iter().map(|(id, _)| id.0);
        let functions_of = functions.iter().filter_map(|one| Some(one.function_id?.0));
        self.keep_order(&needs, images.chain(functions_of).collect());
        let images = self.images.into_iter();
        let objects = self.objects.into_iter();
        let volumes = self.volumes.into_iter();
        self.inner.store(&mut self.model.info.extra);
        Ok(Model {
            functions,
            image_functions,
            images: images.map(|one| (one.id, one.stack)).collect(),
            objects: objects.map(|one| (one.id, one.object)).collect(),
            volumes: volumes.map(|one| (one.id, one.data)).collect(),
            left_out: self.left_out.list(),
            ..self.model
        })
    }

    /// Checks that no build item is of an object of the type `other`.
    fn check_build(&mut self) -> Result<(), ReadError> {
        let others = self.objects.iter();
        let others = others.filter(|object| object.object.object_type == ObjectType::Other);
        let others: BTreeSet<u32> = others.map(|object| object.id.0).collect();
        for reference in &self.references {
            if let ReferenceOwner::Item(item) = reference.owner
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

    /// Determines the types of all functions.
    fn types(&mut self) -> Result<Types, ReadError> {
        let images = self.image_functions.iter();
        let mut types: Types = images.map(|one| (one.id.0, one.function.ty())).collect();
        let functions = std::mem::take(&mut self.functions);
        for function in functions {
            let step = function_type(&function, &mut self.findings.repairs);
            if let Some(ty) = self.pass(function.id, step)? {
                types.insert(function.id, ty);
                let names = PortNames::new(&function.inputs, &function.outputs);
                let names = (!names.is_empty()).then_some((function.id, names));
                self.names.extend(names);
                self.functions.push(function);
            }
        }
        Ok(types)
    }

    /// Interprets the functions, callees before callers.
    fn interpret_functions(
        &mut self,
        types: &Types,
        limits: &Limits,
    ) -> Result<Functions, ReadError> {
        let mut document = Document::default();
        let (mut images, mut in_order) = (BTreeMap::new(), Vec::new());
        for one in std::mem::take(&mut self.image_functions) {
            let (mut function, id) = (one.function, one.id);
            let otherwise = format!("function_{id}");
            let repairs = &mut self.findings.repairs;
            function.name = clean_name(&function.name, &otherwise, &one.place, repairs);
            let step = insert_image_function(&mut document, id, &function, &one.place);
            if self.pass(id.0, step)?.is_some() {
                images.insert(id.0, function);
                in_order.push(id);
            }
        }
        let mut functions = Vec::new();
        for index in self.callees_first(types, limits)? {
            let parsed = &self.functions[index];
            let known = FileIndex {
                types,
                names: &self.names,
                resources: &self.resources,
            };
            let is_broken = |id| self.resources.get(&id) == Some(&ResourceClass::Broken);
            // The document lacks a function that could not be read, so its callers are not inserted.
            let on_broken = parsed.named_resources().any(is_broken);
            let step = interpret(parsed, &known, self.findings).and_then(|data| {
                let images = &images;
                let (data, rows) = lift(data, parsed, FileContext { types, images });
                if !on_broken {
                    insert_function(&mut document, parsed, &data, &rows)?;
                }
                Ok(data)
            });
            let id = parsed.id;
            match self.pass(id, step)? {
                Some(data) if !on_broken => functions.push(data),
                Some(_) | None => {
                    self.resources.insert(id, ResourceClass::Broken);
                }
            }
        }
        let images = in_order
            .into_iter()
            .filter_map(|id| Some((id, images.remove(&id.0)?)));
        let is_kept = |(id, image): &(ResourceId, ImageFunction)| {
            !image_sampler::is_generated(image) || self.is_called(*id, &functions)
        };
        let images = images.filter(is_kept).collect();
        Ok((functions, images))
    }

    /// Value of a step in reading a resource, which is broken if the step failed.
    pub(super) fn pass<T>(
        &mut self,
        id: u32,
        step: Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        let value = self.findings.pass(step)?;
        if value.is_none() {
            self.resources.insert(id, ResourceClass::Broken);
        }
        Ok(value)
    }

    /// True if a function or a field names the image function.
    fn is_called(&self, id: ResourceId, functions: &[FunctionData]) -> bool {
        let named = |node: &NodeData| {
            let names = [FUNCTION_ID, "resourceid"];
            // A sampler names the image itself.
            node.node_type != IMAGE_SAMPLER
                && names.iter().any(|name| match node.parameters.get(*name) {
                    Some(Setting::Value(value)) => value.as_u64() == Some(id.0.into()),
                    Some(Setting::Source(_)) | None => false,
                })
        };
        let mut nodes = functions.iter().flat_map(|function| &function.nodes);
        nodes.any(named) || self.references.iter().any(|one| one.id == id.0)
    }

    /// Order of the functions, without those that are recursive.
    fn callees_first(&mut self, types: &Types, limits: &Limits) -> Result<Vec<usize>, ReadError> {
        /// Maximum number of recursive functions that are reported.
        const MOST: usize = 1000;
        /// Bound of the work: each sort visits all functions and nodes.
        const WORK: usize = 500_000;
        let nodes = self.functions.iter().map(|one| 1 + one.nodes.len());
        let most = (WORK / nodes.sum::<usize>().max(1)).clamp(1, MOST);
        for _ in 0..most {
            let known = FileIndex {
                types,
                names: &self.names,
                resources: &self.resources,
            };
            let order = call_order::callees_first(&self.functions, &known, limits);
            let error = match order {
                Ok(order) => return Ok(order),
                Err(error) => error,
            };
            let broken = error.place.function.as_ref().map(|(id, _)| *id);
            self.findings.fail(error)?;
            // Without the function there is an order, or the next cycle is found.
            let before = self.functions.len();
            self.functions.retain(|one| Some(one.id) != broken);
            if self.functions.len() == before {
                break;
            }
            self.resources
                .extend(broken.map(|broken| (broken, ResourceClass::Broken)));
        }
        // The remaining functions have no order either, and are broken.
        let left = self
            .functions
            .iter()
            .map(|one| (one.id, ResourceClass::Broken));
        self.resources.extend(left);
        Ok(Vec::new())
    }

    /// Checks the fields of level sets and volumes against their functions.
    fn check_fields(&mut self, types: &Types) -> Result<(), ReadError> {
        let mut objects = std::mem::take(&mut self.objects);
        for object in &mut objects {
            if let Body::LevelSet(level_set) = &mut object.object.body {
                let owner = ReferenceOwner::Object(object.id.0);
                let what = format!("the level set of {owner}");
                self.check_field(&what, &mut level_set.field, SCALAR, object.line, types)?;
            }
        }
        self.objects = objects;
        let mut volumes = std::mem::take(&mut self.volumes);
        for volume in &mut volumes {
            let what = ReferenceOwner::Volume(volume.id.0).to_string();
            let mut lines = volume.lines.iter().copied();
            let mut line = || lines.next().unwrap_or(1);
            let data = &mut volume.data;
            let composite = format!("the composite of {what}");
            for field in data.composite.iter_mut().flat_map(|one| &mut one.materials) {
                self.check_field(&composite, field, SCALAR, line(), types)?;
            }
            if let Some(field) = &mut data.color {
                let color = format!("the colour of {what}");
                self.check_field(&color, field, COLOR, line(), types)?;
            }
            let mut names = BTreeSet::new();
            for property in &mut data.properties {
                let line = line();
                if !names.insert(property.name.clone()) {
                    let text = format!("duplicate property '{}' of {what}", brief(&property.name));
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

    /// Checks a field against its function, and replaces the channel by the name of the output.
    fn check_field(
        &mut self,
        what: &str,
        field: &mut Field,
        expected: &'static [Type],
        line: u64,
        types: &Types,
    ) -> Result<(), ReadError> {
        let function = field.function_id.0;
        // A reference to anything but a function was reported when references were checked.
        let Some(ty) = types.get(&function) else {
            return Ok(());
        };
        let what = what.to_owned();
        let position = |port: &PortSpec| port.name == "pos" && port.ty == Type::Float3;
        let identifier = sanitize(&field.channel);
        let renamed = self.names.get(&function);
        let written = renamed.map_or(identifier.as_str(), |names| names.output(&identifier));
        let found = ty.outputs.iter().find(|port| port.name == written);
        let outputs = ty.outputs.iter();
        let mut alike = outputs.filter(|port| port.name.eq_ignore_ascii_case(written));
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
                let message = read_as("channel", &field.channel, &port.name);
                let place = self.part.at_line(line);
                self.findings.repair("channel_name", place, message);
            }
            field.channel.clone_from(&port.name);
            if expected.contains(&port.ty) {
                self.warn_of_inputs(&what, function, ty.inputs.len(), line);
                return Ok(());
            }
            Problem::ChannelType {
                what,
                function,
                channel: brief(&field.channel),
                expected: match expected {
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

    fn warn_of_inputs(&mut self, what: &str, function: u32, inputs: usize, line: u64) {
        if inputs > 1 {
            let further = inputs - 1;
            let message = format!(
                "{what} evaluates function {function}, which has {further} inputs besides pos that are not set"
            );
            let fix = "use a function of pos alone that calls this one";
            let place = self.part.at_line(line);
            self.findings.warn("further_inputs", place, message, fix);
        }
    }

    /// References between resources: owner, target and line. Functions depend on the resources that their constants name,
    /// called or not; their own id is no dependency.
    fn dependencies(&self) -> Vec<(u32, u32, u64)> {
        let references = self.references.iter().filter_map(|one| {
            let owner = one.owner.resource()?;
            Some((owner, one.id, one.line))
        });
        let named = self.functions.iter().flat_map(|function| {
            let others = function.named_resources();
            let others = others.filter(|other| *other != function.id);
            let line = function.place.line.unwrap_or(1);
            others.map(move |other| (function.id, other, line))
        });
        references.chain(named).collect()
    }

    /// Sorts objects topologically, components first, else in the order of the file. If there are cycles, the order stays,
    /// and the first cycles are reported.
    fn sort_objects(&mut self, all: &[(u32, u32, u64)]) -> Result<(), ReadError> {
        /// Maximum number of cycles that are reported, since each takes a sort of its own.
        const MAX_CYCLES: usize = 8;
        let objects: BTreeSet<u32> = self.objects.iter().map(|object| object.id.0).collect();
        // Other resources come first, so that they leave the objects where they are.
        let others = self.resources.keys().copied();
        let others: Vec<u32> = others.filter(|id| !objects.contains(id)).collect();
        let own = self.objects.iter().map(|object| object.id.0);
        let ids: Vec<u32> = others.iter().copied().chain(own).collect();
        let index: HashMap<u32, usize> = ids.iter().copied().zip(0..).collect();
        let mut needs = vec![Vec::new(); ids.len()];
        for (owner, needed, _) in all {
            // Recursive functions are broken, and were reported as such.
            if self.resources.get(owner) != Some(&ResourceClass::Broken)
                && let (Some(&owner), Some(&needed)) = (index.get(owner), index.get(needed))
            {
                needs[owner].push(needed);
            }
        }
        for _ in 0..MAX_CYCLES {
            let cycle = match topological_sort(&needs) {
                Err(cycle) => cycle,
                Ok(order) => {
                    let mut objects: Vec<Option<ParsedObject>> =
                        self.objects.drain(..).map(Some).collect();
                    let order = order.into_iter();
                    let order = order.filter_map(|at| at.checked_sub(others.len()));
                    self.objects = order.filter_map(|at| objects[at].take()).collect();
                    break;
                }
            };
            let path: Vec<String> = cycle.iter().map(|&at| ids[at].to_string()).collect();
            let first = ids[cycle[0]];
            let object = self.objects.iter().find(|object| object.id.0 == first);
            let reference = all.iter().find(|(owner, ..)| *owner == first);
            let line = object.map(|object| object.line);
            let line = line.or(reference.map(|(.., line)| *line)).unwrap_or(1);
            let problem = Problem::RecursiveObject(abbreviate_path(&path));
            self.findings.fail(problem.at(self.part.at_line(line)))?;
            for at in cycle {
                needs[at].clear();
            }
        }
        Ok(())
    }

    /// Keeps the order of the file, as far as the writer would choose another. `present` are the ids of the functions.
    fn keep_order(&mut self, references: &[(u32, u32, u64)], mut present: BTreeSet<u32>) {
        present.extend(self.images.iter().map(|one| one.id.0));
        present.extend(self.objects.iter().map(|one| one.id.0));
        present.extend(self.volumes.iter().map(|one| one.id.0));
        present.extend(self.model.foreign.iter().map(|(id, _)| id.0));
        let mut all: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (owner, needed, _) in references {
            all.entry(*owner).or_default().insert(*needed);
        }
        let is_present = |entry: &OrderEntry| match entry {
            OrderEntry::Resource(id) => present.contains(id),
            OrderEntry::Element(_) => true,
        };
        let file: Vec<OrderEntry> = self.sequence.iter().copied().filter(is_present).collect();
        let mut content = self.inner.take("resources");
        let needs = file.iter().map(|entry| {
            let mut needed = match entry {
                OrderEntry::Resource(id) => all.get(id).cloned().unwrap_or_default(),
                OrderEntry::Element(index) => {
                    let references = fragment::references(&content.elements[*index]);
                    references.into_iter().map(|id| id.0).collect()
                }
            };
            // A function that samples an image needs the image, not the function that was made for it.
            let dropped = needed.iter().filter(|id| !present.contains(id));
            let inner: Vec<u32> = dropped
                .filter_map(|id| all.get(id))
                .flatten()
                .copied()
                .collect();
            needed.extend(inner);
            (*entry, needed)
        });
        let needs: Needs = needs.collect();
        content.order = resource_order::format(&resource_order::shortest_list(&file, &needs));
        *self.inner.at("resources") = content;
    }

    /// Warns of what is allowed, but probably not intended.
    fn warn_suspicious(&mut self, types: &Types) {
        let volumetric =
            !self.volumes.is_empty() || !self.images.is_empty() || self.has_level_set();
        let implicit = !self.functions.is_empty();
        for (space, used, name, prefix) in [
            (Schema::Volumetric, volumetric, "volumetric", "v"),
            (Schema::Implicit, implicit, "implicit", "i"),
        ] {
            // That level sets need the extension is a rule of its own.
            let is_rule = space == Schema::Volumetric && self.has_level_set();
            if used && !is_rule && !self.required.contains(&space) {
                let message = format!(
                    "the file uses the {name} extension, but requiredextensions does not name it"
                );
                let fix = format!("add its prefix, usually {prefix}, to requiredextensions");
                let place = self.part.clone();
                self.findings
                    .warn("extension_not_required", place, message, &fix);
            }
        }
        for uri in &self.model.info.required {
            if !KEPT.iter().any(|known| uri.starts_with(known)) {
                let message = format!(
                    "the file requires the extension {}, which Fibula does not know",
                    brief(uri)
                );
                let fix = "its elements are preserved, but not interpreted";
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
                let message = "the function is unused".to_owned();
                let fix = "use it in a level set, in volume data or in a call, or remove it";
                let place = function.place.clone();
                self.findings.warn("unused_function", place, message, fix);
            }
        }
        if self.model.items.is_empty() && !self.is_further_part {
            let message = if self.objects.is_empty() {
                "the file has no objects and no build item, so its build is empty"
            } else {
                "the file has objects, but no build item, so its build is empty"
            };
            let message = message.to_owned();
            let place = self.part.clone();
            self.findings
                .warn("empty_build", place, message, "add an <item> to <build>");
        }
    }

    fn has_level_set(&self) -> bool {
        let is = |object: &ParsedObject| matches!(object.object.body, Body::LevelSet(_));
        self.objects.iter().any(is)
    }
}
