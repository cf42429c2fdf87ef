//! The model part: which resources there are, and what each of them is.

use std::collections::BTreeMap;
use std::io::Read;

use fibula_nodes::{Filter, FunctionType, ResourceId, TileStyle};

use crate::graph::{Document, ImageFunction};

use super::built;
use super::error::{Place, Problem, ReadError, brief};
use super::fold::{Around, folded};
use super::function;
use super::numbers::{finite, invalid, resource_id};
use super::order;
use super::ports::PortNames;
use super::raw::{self, Budget, is_implicit};
use super::scope::{self, Known};
use super::xml::{Element, Space, Xml};
use super::{LeftOut, Limits, Model, Repair, Unit};

/// Why meshes and the like are not read.
const NOT_YET: &str = "this version reads functions only";

/// The model part, its resources told apart, its functions still as they are written.
#[derive(Debug)]
pub(super) struct File {
    unit: Unit,
    metadata: Vec<(String, String)>,
    functions: Vec<raw::Function>,
    images: Vec<Image>,
    /// What each id stands for.
    resources: BTreeMap<u32, String>,
    left_out: Tally,
    repairs: Vec<Repair>,
}

/// A function that is an image.
#[derive(Debug)]
struct Image {
    id: ResourceId,
    function: ImageFunction,
    place: Place,
}

/// What was left out, by what it is and why.
#[derive(Debug, Default)]
struct Tally(BTreeMap<(String, String), (usize, Vec<u32>)>);

impl Tally {
    fn add(&mut self, what: impl Into<String>, id: Option<u32>, why: impl Into<String>) {
        let (count, ids) = self.0.entry((what.into(), why.into())).or_default();
        *count += 1;
        ids.extend(id);
    }
}

impl File {
    /// Reads a model part.
    pub(super) fn read<R: Read>(part: R, name: &str, limits: &Limits) -> Result<File, ReadError> {
        let mut xml = Xml::new(part, name, limits);
        let root = xml.root()?;
        if (root.space, root.name.as_str()) != (Space::Core, "model") {
            let text = format!(
                "the part starts with <{}>, not with the <model> of 3MF",
                brief(&root.name)
            );
            return Err(xml.error(Problem::NoModel(text)));
        }
        let mut file = File {
            unit: unit(&xml, &root)?,
            metadata: Vec::new(),
            functions: Vec::new(),
            images: Vec::new(),
            resources: BTreeMap::new(),
            left_out: Tally::default(),
            repairs: Vec::new(),
        };
        let mut budget = Budget::new(limits);
        while let Some(element) = xml.child()? {
            match (element.space, element.name.as_str()) {
                (Space::Core, "resources") => file.read_resources(&mut xml, &mut budget)?,
                (Space::Core, "build") => file.read_build(&mut xml)?,
                (Space::Core, "metadata") => {
                    let name = xml.required(&element, "name")?.to_owned();
                    file.metadata.push((name, xml.text()?));
                }
                _ => {
                    file.left_out
                        .add(format!("element {}", brief(&element.name)), None, NOT_YET);
                    xml.skip()?;
                }
            }
        }
        xml.finish()?;
        Ok(file)
    }

    fn read_resources<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        while let Some(element) = xml.child()? {
            let volumetric = element.space == Space::Volumetric;
            match element.name.as_str() {
                "implicitfunction" | "function" if is_implicit(&element) => {
                    let id = self.resource(xml, &element, "a function")?;
                    self.functions
                        .push(raw::Function::read(xml, &element, id, budget)?);
                }
                "functionfromimage3d" if volumetric => {
                    let id = self.resource(xml, &element, "a function")?;
                    let place = xml.place().at_line(element.line);
                    let function = image_function(xml, &element, id)?;
                    self.images.push(Image {
                        id: ResourceId(id),
                        function,
                        place,
                    });
                    xml.skip()?;
                }
                "object" if element.space == Space::Core => self.read_object(xml, &element)?,
                name => {
                    // A resource without an id cannot be referred to, so it needs none here.
                    let what = brief(name);
                    let id = match element.attribute("id") {
                        Some(_) => Some(self.resource(
                            xml,
                            &element,
                            &format!("a resource of the kind {what}"),
                        )?),
                        None => None,
                    };
                    self.left_out.add(what, id, NOT_YET);
                    xml.skip()?;
                }
            }
        }
        Ok(())
    }

    fn read_object<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<(), ReadError> {
        let id = self.resource(xml, element, "an object")?;
        while let Some(content) = xml.child()? {
            match content.name.as_str() {
                "metadatagroup" => {}
                "levelset" => {
                    self.left_out.add("level set", Some(id), NOT_YET);
                    self.resources.insert(id, "a level set".to_owned());
                }
                name => {
                    self.left_out
                        .add(format!("{} object", brief(name)), Some(id), NOT_YET);
                    self.resources
                        .insert(id, format!("a {} object", brief(name)));
                }
            }
            xml.skip()?;
        }
        Ok(())
    }

    fn read_build<R: Read>(&mut self, xml: &mut Xml<R>) -> Result<(), ReadError> {
        while let Some(item) = xml.child()? {
            let id = item
                .attribute("objectid")
                .and_then(|id| id.trim().parse().ok());
            self.left_out.add("build item", id, NOT_YET);
            xml.skip()?;
        }
        Ok(())
    }

    /// The id of a resource, which no other has.
    fn resource<R: Read>(
        &mut self,
        xml: &Xml<R>,
        element: &Element,
        what: &str,
    ) -> Result<u32, ReadError> {
        let id = number(xml, element, "id")?;
        match self.resources.insert(id, what.to_owned()) {
            None => Ok(id),
            Some(other) => {
                let text = format!("{what} has the id {id}, but {other} has it already");
                Err(Problem::DuplicateId(text).at(xml.place().at_line(element.line)))
            }
        }
    }

    /// Understands the functions; `others` is the number of parts that are not read.
    pub(super) fn into_model(mut self, others: usize, limits: &Limits) -> Result<Model, ReadError> {
        for image in &self.images {
            let id = image.function.image.0;
            match self.resources.get(&id).map(String::as_str) {
                Some("a resource of the kind image3d") => {}
                is => return Err(not_an_image(id, is).at(image.place.clone())),
            }
        }
        for _ in 0..others {
            self.left_out
                .add("part of the package", None, "only the model is read");
        }
        for name in self.functions.iter().flat_map(|function| &function.skipped) {
            self.left_out.add(
                format!("element {name} in a function"),
                None,
                "its namespace is not known",
            );
        }
        let mut types: BTreeMap<u32, FunctionType> = self
            .images
            .iter()
            .map(|image| (image.id.0, image.function.ty()))
            .collect();
        for function in &self.functions {
            types.insert(function.id, scope::ends(function, &mut self.repairs)?);
        }
        let names = self.functions.iter();
        let names = names.map(|function| (function.id, PortNames::of(function)));
        let names = names.filter(|(_, names)| !names.is_empty()).collect();
        let pictures = self.images.iter();
        let pictures = pictures
            .map(|image| (image.id.0, image.function.clone()))
            .collect();
        let known = Known {
            types: &types,
            names: &names,
            resources: &self.resources,
        };
        let mut document = Document::default();
        for image in &mut self.images {
            let name = format!("function_{}", image.id);
            image.function.name =
                scope::cleaned(&image.function.name, &name, &image.place, &mut self.repairs);
            built::image_function(&mut document, image.id, &image.function, &image.place)?;
        }
        let mut functions = Vec::new();
        for index in order::callees_first(&self.functions, &known, limits)? {
            let data = function::understood(&self.functions[index], &known, &mut self.repairs)?;
            let around = Around {
                types: &types,
                images: &pictures,
            };
            let (data, rows) = folded(data, &self.functions[index], around);
            built::function(&mut document, &self.functions[index], &data, &rows)?;
            functions.push(data);
        }
        let left_out = self.left_out.0.into_iter();
        Ok(Model {
            unit: self.unit,
            functions,
            image_functions: self
                .images
                .into_iter()
                .map(|image| (image.id, image.function))
                .collect(),
            repairs: self.repairs,
            left_out: left_out
                .map(|((what, why), (count, ids))| LeftOut {
                    what,
                    count,
                    ids,
                    why,
                })
                .collect(),
            metadata: self.metadata,
        })
    }
}

fn not_an_image(id: u32, is: Option<&str>) -> Problem {
    match is {
        Some(is) => Problem::WrongResource {
            from: "functionfromimage3d".to_owned(),
            id,
            is: is.to_owned(),
            wants: "an image3d",
        },
        None => Problem::DanglingReference(format!(
            "image3did refers to resource {id}, which is not in the file"
        )),
    }
}

fn image_function<R: Read>(
    xml: &Xml<R>,
    element: &Element,
    id: u32,
) -> Result<ImageFunction, ReadError> {
    let at = |problem: Problem| problem.at(xml.place().at_line(element.line));
    let real = |name: &'static str, default: f64| match element.attribute(name) {
        None => Ok(default),
        Some(text) => finite(text).ok_or_else(|| at(invalid(name, text, "a finite number"))),
    };
    let tile = |name: &'static str| match element.attribute(name) {
        None | Some("wrap") => Ok(TileStyle::Wrap),
        Some("mirror") => Ok(TileStyle::Mirror),
        Some("clamp") => Ok(TileStyle::Clamp),
        Some("none") => Ok(TileStyle::None),
        Some(text) => Err(at(invalid(name, text, "wrap, mirror, clamp or none"))),
    };
    Ok(ImageFunction {
        name: match element.attribute("displayname") {
            Some("") | None => format!("function_{id}"),
            Some(name) => name.to_owned(),
        },
        image: ResourceId(number(xml, element, "image3did")?),
        scale: real("valuescale", 1.0)?,
        offset: real("valueoffset", 0.0)?,
        filter: match element.attribute("filter") {
            None | Some("linear") => Filter::Linear,
            Some("nearest") => Filter::Nearest,
            Some(text) => return Err(at(invalid("filter", text, "linear or nearest"))),
        },
        tiles: [
            tile("tilestyleu")?,
            tile("tilestylev")?,
            tile("tilestylew")?,
        ],
    })
}

fn unit<R: Read>(xml: &Xml<R>, root: &Element) -> Result<Unit, ReadError> {
    match root.attribute("unit") {
        None => Ok(Unit::default()),
        Some(text) => Unit::ALL
            .into_iter()
            .find(|unit| unit.name() == text)
            .ok_or_else(|| {
                xml.error(invalid(
                    "unit",
                    text,
                    "micron, millimeter, centimeter, inch, foot or meter",
                ))
            }),
    }
}

/// An attribute that is the id of a resource.
fn number<R: Read>(xml: &Xml<R>, element: &Element, name: &'static str) -> Result<u32, ReadError> {
    let text = xml.required(element, name)?;
    let expected = "a whole number from 1 to 2147483647";
    resource_id(text)
        .ok_or_else(|| invalid(name, text, expected).at(xml.place().at_line(element.line)))
}
