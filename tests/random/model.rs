//! Random edits of what is beside the functions.

use std::sync::Arc;

use fibula::edit::ModelEdit;
use fibula::graph::model::{
    Attribute, Body, BuildItem, Component, Composite, Extra, Field, Foreign, ImageStack, LevelSet,
    MeshBody, Metadata, ModelInfo, ModelResource, Object, ObjectType, Part, Property, PropertyRef,
    Sheet, Transform, Unit, VolumeData,
};
use fibula::graph::{ContentHash, Document, Function};
use fibula_nodes::{ResourceId, Type};

use super::Seed;

/// The edit that a seed means for this document.
pub(crate) fn edit(document: &Document, seed: &Seed) -> ModelEdit {
    let ids: Vec<ResourceId> = document.model_resources().map(|(id, _)| id).collect();
    let any = |number: u8| match ids.get(number as usize % (ids.len() + 1)) {
        Some(&id) => id,
        None => ResourceId(u32::from(number) % 60),
    };
    let items: Vec<u32> = document.model().items().map(|(id, _)| id).collect();
    let item_id = match items.get(seed.a as usize % (items.len() + 1)) {
        Some(&id) => id,
        None => u32::from(seed.a) % 9,
    };
    let name = ["Title", "Designer", "{http://example.com}x", ""][seed.a as usize % 4].to_owned();
    let part = ["Metadata/thumbnail.png", "a/b.xml", "../x", "Größe.txt"][seed.a as usize % 4];
    match seed.b % 16 {
        0..=6 => ModelEdit::SetResource {
            resource_id: seed.flag.then(|| any(seed.a)),
            resource: resource(document, seed, any),
        },
        7 | 8 => ModelEdit::RemoveResource {
            resource_id: any(seed.a),
        },
        9 | 10 => ModelEdit::SetBuildItem {
            item_id: seed.flag.then_some(item_id),
            item: BuildItem {
                transform: transform(seed.c),
                part_number: format!("n{}", seed.c),
                metadata: metadata(seed.c),
                extra: extra(seed.d),
                ..BuildItem::new(any(seed.d))
            },
        },
        11 => ModelEdit::RemoveBuildItem { item_id },
        12 if seed.flag => ModelEdit::RemoveMetadata { name },
        12 => ModelEdit::SetMetadata(Metadata {
            name,
            value: format!("value {}", seed.c),
            value_type: String::new(),
            preserve: Some(seed.d > 128),
        }),
        13 if seed.flag => ModelEdit::RemovePart {
            name: part.to_owned(),
        },
        13 => ModelEdit::SetPart {
            name: part.to_owned(),
            part: Part {
                media_type: ["image/png", "x"][usize::from(seed.c > 200)].to_owned(),
                size: u64::from(seed.c),
                content: hash(seed.c),
            },
        },
        _ => ModelEdit::SetInfo(ModelInfo {
            unit: Unit::ALL[seed.c as usize % 6],
            language: ["", "en-US"][usize::from(seed.flag)].to_owned(),
            extra: extra(seed.d),
            ..ModelInfo::default()
        }),
    }
}

fn hash(number: u8) -> ContentHash {
    ContentHash::digest(&[number])
}

fn transform(number: u8) -> Transform {
    let mut transform = Transform::IDENTITY;
    transform.0[9] = f64::from(number) / 3.0;
    if number == 255 {
        transform.0[0] = f64::NAN;
    }
    transform
}

fn metadata(number: u8) -> Vec<Metadata> {
    let one = |name: &str| Metadata {
        name: name.to_owned(),
        value: number.to_string(),
        value_type: "xs:string".to_owned(),
        preserve: None,
    };
    match number % 8 {
        0 => vec![one("a"), one("b")],
        1 => vec![one("a"), one("a")],
        _ => Vec::new(),
    }
}

fn extra(number: u8) -> Extra {
    if !number.is_multiple_of(4) {
        return Extra::default();
    }
    Extra {
        attributes: vec![Attribute::new(
            "http://example.com",
            "x",
            number.to_string(),
        )],
        elements: vec![r#"<e xmlns="http://example.com"/>"#.to_owned()],
    }
}

/// A field of one of the document's functions, or of one that may not be there.
fn field(document: &Document, number: u8, ty: Type) -> Field {
    // Mostly one that can be asked.
    let takes_a_point = |function: &&Function| {
        let inputs = function.inputs();
        inputs
            .iter()
            .any(|port| port.name == "pos" && port.ty == Type::Float3)
    };
    let functions = document.functions();
    let functions: Vec<_> = functions
        .filter(|one| number > 240 || takes_a_point(one))
        .collect();
    let Some(function) = functions.get(number as usize % (functions.len() + 1)) else {
        return Field::new(ResourceId(u32::from(number)), "shape");
    };
    let outputs = function.outputs();
    let floats: Vec<_> = outputs
        .iter()
        .filter(|port| number > 240 || port.ty == ty)
        .collect();
    let channel = floats.get(number as usize % (floats.len() + 1));
    let channel = channel.map_or("shape", |port| &port.name);
    Field {
        transform: transform(number),
        min_feature_size: f64::from(number / 2),
        fallback_value: 0.1,
        ..Field::new(function.id().into(), channel)
    }
}

fn resource(document: &Document, seed: &Seed, any: impl Fn(u8) -> ResourceId) -> ModelResource {
    let object = |body: Body| {
        ModelResource::Object(Arc::new(Object {
            object_type: ObjectType::ALL[seed.c as usize % 5],
            part_number: String::new(),
            properties: (seed.d.is_multiple_of(8)).then(|| PropertyRef {
                group: any(seed.d),
                index: Some(u32::from(seed.c)),
            }),
            metadata: metadata(seed.d),
            extra: extra(seed.c),
            ..Object::new(["", "Größe"][usize::from(seed.d > 128)], body)
        }))
    };
    let meshes = document.model_resources();
    let mut meshes = meshes.filter(|(_, resource)| resource.noun() == "mesh");
    let mesh = meshes.next().map(|(id, _)| id).filter(|_| seed.a < 240);
    match seed.c % 8 {
        0 | 1 => object(Body::Mesh(MeshBody {
            content: hash(seed.d),
            size: 9,
            vertices: 4,
            triangles: 4,
            beams: u32::from(seed.d % 3),
            bounds: Some([[0.0; 3], [f64::from(seed.d), 1.0, 2.5]]),
            volume: (seed.d.is_multiple_of(5)).then(|| any(seed.d)),
            references: Vec::new(),
        })),
        2 => object(Body::Components(vec![
            Component {
                object: any(seed.d),
                transform: transform(seed.a),
                extra: Extra::default(),
            };
            2
        ])),
        3 | 4 => object(Body::LevelSet(LevelSet {
            field: field(document, seed.d, Type::Float),
            mesh: mesh.unwrap_or_else(|| any(seed.a.wrapping_add(1))),
            mesh_bbox_only: seed.flag,
            volume: (seed.d.is_multiple_of(5)).then(|| any(seed.d)),
        })),
        5 => ModelResource::VolumeData(Arc::new(VolumeData {
            composite: (seed.d.is_multiple_of(8)).then(|| Composite {
                base_materials: any(seed.d),
                materials: vec![field(document, seed.a, Type::Float)],
            }),
            color: (seed.d > 128).then(|| field(document, seed.d, Type::Float3)),
            properties: vec![Property {
                name: "density".to_owned(),
                required: seed.flag,
                field: field(document, seed.c, Type::Float),
            }],
            extra: Extra::default(),
        })),
        6 => ModelResource::Image(Arc::new(ImageStack {
            name: String::new(),
            columns: u32::from(seed.d % 4),
            rows: 2,
            sheets: vec![Sheet {
                path: "volume/a.png".to_owned(),
                content: hash(seed.d),
                size: 3,
            }],
            extra: Extra::default(),
        })),
        _ => ModelResource::Foreign(Arc::new(Foreign {
            namespace: "http://example.com".to_owned(),
            element: "colorgroup".to_owned(),
            content: hash(seed.d),
            size: 5,
            references: vec![any(seed.a)],
        })),
    }
}
