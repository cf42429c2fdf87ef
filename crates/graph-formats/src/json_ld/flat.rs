//! Reader of lists of elements in the vocabulary of Discourse Graphs, as its plugins and Fibula write them.
//!
//! A node schema declares a type of nodes, a relation definition one of edges, and a relation instance is an edge whose type
//! is the label of its definition. Every other element is a node. It has edges to the pages in its "textRefersToNode", and to
//! the pages of the file whose names or addresses are in its content or title; images are kept as links. A file without
//! declarations is one, too, if its context has the vocabulary: the types of its pages are the codes of their titles.

use fibula_knowledge::{EdgeType, FUNCTION, NodeType, Schema};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};

use super::context::Context;
use super::relations::{RelationDefinition, Relations};
use super::text;
use super::write::{FIBULA, NODE};
use crate::builder::{ElementKind, GraphBuilder, RawEdge};
use crate::discourse::{NODE_TYPES, page_id, split_title, without_link};
use crate::error::{FileLocation, FormatError, brief};
use crate::fields::{self, Fields};
use crate::imported::ImportedEdge;

/// Vocabularies whose terms are identified by their last part.
const VOCABULARIES: [&str; 9] = [
    "https://discoursegraphs.com/schema/",
    "http://purl.org/dc/terms/",
    "http://purl.org/dc/elements/1.1/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
    "http://rdfs.org/sioc/ns#",
    "http://xmlns.com/foaf/0.1/",
    FIBULA,
];
/// Fields of elements, by the last parts of their terms.
const FIELDS: [&str; 23] = [
    "content",
    "created",
    "creator",
    "data",
    "date",
    "description",
    "destination",
    "domain",
    "identifier",
    "inverseOf",
    "label",
    "modified",
    "name",
    "observations",
    "order",
    "position",
    "predicate",
    "range",
    "source",
    "textRefersToNode",
    "title",
    "validFrom",
    "validTo",
];
/// Type of edges from a page to those in its text.
const REFERS_TO: &str = "refers_to";

struct FlatReader<'a, 'w> {
    context: &'a Context,
    /// True if Fibula wrote the file, so that texts are not searched for references.
    is_own: bool,
    relations: Relations,
    /// Names of people, by account id.
    people: FxHashMap<String, String>,
    /// Ids of nodes.
    ids: FxHashSet<String>,
    /// Ids of nodes, by label and by address.
    pages: FxHashMap<String, String>,
    /// Ids of nodes, by the title without its code; `None` if several nodes have it.
    titled: FxHashMap<String, Option<String>>,
    references: Vec<Reference>,
    to: &'a mut GraphBuilder<'w>,
}

/// References of a page.
struct Reference {
    location: FileLocation,
    from: String,
    /// Listed nodes.
    named: Vec<String>,
    content: String,
}

pub(super) fn is_own(context: &Context) -> bool {
    context.expand("fibula").is_some_and(|iri| iri == FIBULA)
}

/// Reads such a list.
pub(super) fn read(
    mut graph: Map<String, Json>,
    context: &Context,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    let Some(Json::Array(elements)) = graph.remove("@graph") else {
        return Ok(());
    };
    let is_own = is_own(context);
    let schema = graph.remove("schema").filter(|_| is_own);
    let mut reader = FlatReader {
        context,
        is_own,
        relations: Relations::default(),
        people: FxHashMap::default(),
        ids: FxHashSet::default(),
        pages: FxHashMap::default(),
        titled: FxHashMap::default(),
        references: Vec::new(),
        to,
    };
    let mut rest = Vec::new();
    for (number, element) in (1..).zip(elements) {
        let location = FileLocation::Element {
            kind: "element",
            number,
        };
        let Json::Object(element) = element else {
            let problem = format!("{} is not an element", brief(&element.to_string()));
            return Err(FormatError::invalid(location, problem));
        };
        let element = reader.with_local_names(element);
        if let Some(element) = reader.declare(element, location) {
            rest.push((location, element));
        }
    }
    let mut instances = Vec::new();
    for (location, element) in rest {
        if reader.is(&element, "RelationInstance") {
            instances.push((location, element));
        } else {
            reader.node(element, location)?;
        }
    }
    for (location, element) in instances {
        reader.instance(element, location)?;
    }
    let has_references = reader.add_references()?;
    let FlatReader { relations, to, .. } = reader;
    if let Some(schema) = schema {
        return to.parse_schema(schema);
    }
    let mut schema = if is_own {
        Schema::default()
    } else {
        relations.schema()
    };
    if schema.is_empty() {
        return Ok(());
    }
    if has_references {
        schema.edge_types.push(EdgeType {
            key: REFERS_TO.to_owned(),
            label: Some("refers to".to_owned()),
            ..EdgeType::default()
        });
    }
    to.set_schema(schema);
    Ok(())
}

/// Texts of a field, which is a text or a list of texts.
fn texts(value: Json) -> Vec<String> {
    let text = |value: Json| match value {
        Json::Object(mut node) => node.remove("@id").as_ref().and_then(fields::text),
        other => fields::text(&other),
    };
    match value {
        Json::Array(values) => values.into_iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

/// True for the name of a node, as an object, or a list of such.
fn is_named(value: &Json) -> bool {
    let is_name = |value: &Json| {
        let id = value.get("@id").and_then(Json::as_str);
        id.is_some() && value.as_object().is_some_and(|value| value.len() == 1)
    };
    match value {
        Json::Array(values) => !values.is_empty() && values.iter().all(is_name),
        one => is_name(one),
    }
}

/// Removes the first existing one of some fields.
fn take(element: &mut Map<String, Json>, names: &[&str]) -> Option<Json> {
    names.iter().find_map(|name| element.remove(*name))
}

/// A text, or the value, the name or the id of an object.
fn take_text(element: &mut Map<String, Json>, names: &[&str]) -> Option<String> {
    let text = take(element, names)?;
    let mut names = ["@value", "name", "@id"].into_iter();
    let inner = names.find_map(|name| text.get(name));
    fields::text(inner.unwrap_or(&text))
}

impl FlatReader<'_, '_> {
    /// Last part of the IRI of a term, if it is of one of the vocabularies; the term itself if it has no IRI.
    fn local_name<'k>(&self, key: &'k str) -> std::borrow::Cow<'k, str> {
        let Some(iri) = self.context.expand(key) else {
            return key.into();
        };
        let is_known = VOCABULARIES.iter().any(|known| iri.starts_with(known));
        match iri.rsplit(['#', '/']).next() {
            Some(name) if is_known => name.to_owned().into(),
            Some(_) | None => "".into(),
        }
    }

    fn is(&self, element: &Map<String, Json>, class: &str) -> bool {
        let ty = element.get("@type");
        let types = ty.map_or(&[][..], |ty| {
            ty.as_array().map_or(std::slice::from_ref(ty), |all| all)
        });
        types
            .iter()
            .filter_map(Json::as_str)
            .any(|ty| self.local_name(ty) == class)
    }

    /// Renames the fields of an element to local names.
    fn with_local_names(&self, element: Map<String, Json>) -> Map<String, Json> {
        let mut renamed = Map::new();
        for (key, value) in element {
            let name = self.local_name(&key);
            if FIELDS.contains(&&*name) && !renamed.contains_key(&*name) {
                renamed.insert(name.into_owned(), value);
            } else {
                renamed.insert(key, value);
            }
        }
        renamed
    }

    /// Id of a node, by its name in the file. The id of a page is the part of its name after a prefix, which exports spell in
    /// several ways.
    fn id(&self, name: &str) -> String {
        if self.is_own {
            let coded = name
                .strip_prefix(NODE)
                .or_else(|| name.starts_with(FUNCTION).then_some(name));
            return coded.map_or_else(|| name.to_owned(), super::write::decode);
        }
        let page = page_id(name).or_else(|| name.rsplit_once("/page/").map(|(_, page)| page));
        page.unwrap_or(name).to_owned()
    }

    /// Reads an element that declares something; returns every other one.
    fn declare(
        &mut self,
        mut element: Map<String, Json>,
        location: FileLocation,
    ) -> Option<Map<String, Json>> {
        let id = element
            .get("@id")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let id = self.id(id);
        let is_new = if self.is(&element, "NodeSchema") {
            let key = take_text(&mut element, &["label", "title"]);
            let description = take_text(&mut element, &["description", "content"]);
            let ty = NodeType {
                key: key
                    .filter(|key| !key.is_empty())
                    .unwrap_or_else(|| id.clone()),
                label: None,
                description: description.filter(|text| !text.is_empty()),
            };
            self.relations.add_node_type(id.clone(), ty)
        } else if self.is(&element, "RelationDef") || self.is(&element, "AbstractRelationDef") {
            let ids = |element: &mut Map<String, Json>, name: &str| -> Vec<String> {
                let found = take(element, &[name]).map(texts).unwrap_or_default();
                found.iter().map(|id| self.id(id)).collect()
            };
            let label = take_text(&mut element, &["label", "title"]);
            let definition = RelationDefinition {
                label: label
                    .filter(|label| !label.is_empty())
                    .unwrap_or_else(|| id.clone()),
                domain: ids(&mut element, "domain"),
                range: ids(&mut element, "range"),
                inverse_of: ids(&mut element, "inverseOf").into_iter().next(),
            };
            self.relations.add(id.clone(), definition)
        } else {
            if self.is(&element, "UserAccount") || self.is(&element, "Person") {
                let name = take_text(&mut element.clone(), &["name", "title", "label"]);
                self.people.extend(name.map(|name| (id, name)));
            }
            return Some(element);
        };
        if !is_new {
            self.to.repair("duplicate_id", location, || {
                format!(
                    "duplicate declaration of '{}'; the later was skipped",
                    brief(&id)
                )
            });
        }
        None
    }

    /// Reads the fields that nodes and edges share.
    fn common_fields(&self, element: &mut Map<String, Json>) -> Fields {
        let mut fields = Fields::new();
        if let Some(creator) = take_text(element, &["creator"]) {
            let name = self.people.get(&self.id(&creator)).cloned();
            fields.insert("creator".to_owned(), Json::from(name.unwrap_or(creator)));
        }
        let own = if self.is_own {
            &[
                "data",
                "observations",
                "order",
                "position",
                "version",
                "weight",
            ][..]
        } else {
            &[]
        };
        for name in own {
            if let Some(value) = take(element, &[name]) {
                fields.insert((*name).to_owned(), value);
            }
        }
        let times = [
            ("created", &["created", "date"][..]),
            ("modified", &["modified"]),
            ("valid_from", &["validFrom"]),
            ("valid_to", &["validTo"]),
        ];
        for (name, meanings) in times {
            if let Some(time) = take(element, meanings) {
                let time = time.get("@value").cloned().unwrap_or(time);
                fields.insert(name.to_owned(), time);
            }
        }
        fields
    }

    fn node(
        &mut self,
        mut element: Map<String, Json>,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        let name = element.remove("@id").as_ref().and_then(fields::text);
        let identifier = take_text(&mut element, &["identifier"]).filter(|_| self.is_own);
        let id = identifier.or_else(|| name.as_deref().map(|name| self.id(name)));
        let label = take_text(&mut element, &["title", "label", "name"]);
        let types = element.remove("@type").map(texts).unwrap_or_default();
        let (label, title, types) = self.title_and_types(label, &types);
        let mut fields = self.common_fields(&mut element);
        let mut data = match fields.remove("data") {
            Some(Json::Object(data)) => data,
            Some(_) | None => Map::new(),
        };
        if let Some(id) = &id {
            self.ids.insert(id.clone());
            fields.insert("id".to_owned(), Json::from(id.as_str()));
            let url = name.and_then(|name| self.context.expand(&name).or(Some(name)));
            let url = url.filter(|url| url.starts_with("http") && !self.is_own);
            for key in url.iter().chain(&label).filter(|key| !key.is_empty()) {
                self.pages.entry(key.clone()).or_insert_with(|| id.clone());
            }
            if let Some(title) = title.as_ref().filter(|title| !title.is_empty()) {
                let titled = self.titled.entry(title.clone());
                titled
                    .and_modify(|id| *id = None)
                    .or_insert_with(|| Some(id.clone()));
            }
            if let Some(url) = url {
                data.insert("url".to_owned(), Json::from(url));
            }
        }
        if let Some(label) = label {
            fields.insert("label".to_owned(), Json::from(label));
        }
        fields.insert("types".to_owned(), json!(types));
        let content = take(&mut element, &["content"]);
        if let (false, Some(from)) = (self.is_own, &id) {
            let content = content.as_ref().and_then(fields::text).unwrap_or_default();
            let images = text::images(&content);
            if !images.is_empty() {
                data.insert("images".to_owned(), json!(images));
            }
            let named = element.get("textRefersToNode").cloned();
            self.references.push(Reference {
                location,
                from: from.clone(),
                named: named.map(texts).unwrap_or_default(),
                content: format!("{}\n{content}", title.unwrap_or_default()),
            });
        }
        if let Some(content) = content.filter(|content| self.is_own || content != "") {
            data.insert("content".to_owned(), content);
        }
        if let Some(from) = &id {
            self.add_links(from, &mut element, location)?;
        }
        data.extend(element);
        fields.insert(fields::DATA.to_owned(), Json::Object(data));
        fields::add(ElementKind::Node, fields, location, self.to)
    }

    /// Label of a page, its title without the code of a node type, and its types: without any, that of the code.
    fn title_and_types(
        &self,
        label: Option<String>,
        types: &[String],
    ) -> (Option<String>, Option<String>, Vec<String>) {
        let mut types: Vec<String> = types.iter().map(|ty| self.node_type(ty)).collect();
        if self.is_own {
            return (label, None, types);
        }
        let label = label.map(|label| without_link(&label).to_owned());
        let (code, title) = label.as_deref().map_or((None, ""), split_title);
        if let Some(code) = code
            && types.is_empty()
        {
            let known = NODE_TYPES.iter().find(|[known, ..]| *known == code);
            types.push(known.map_or(code, |[_, name, _]| *name).to_owned());
        }
        let title = title.to_owned();
        (label, Some(title), types)
    }

    /// Type of a node, for a type of its element.
    fn node_type(&self, ty: &str) -> String {
        if let Some(key) = self.relations.node_type(&self.id(ty)) {
            return key.to_owned();
        }
        let name = self.local_name(ty);
        let name = if name.is_empty() { ty } else { &name };
        name.rsplit(':').next().unwrap_or(name).to_owned()
    }

    /// Adds edges for fields with names of nodes.
    fn add_links(
        &mut self,
        from: &str,
        element: &mut Map<String, Json>,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        let is_link = |(key, value): &(&String, &Json)| {
            let is_link = self.context.is_link(key) || !self.is_own && is_named(value);
            is_link && self.local_name(key) != "textRefersToNode"
        };
        let links = element.iter().filter(is_link).map(|(key, _)| key.clone());
        for key in links.collect::<Vec<String>>() {
            let ty = key.rsplit(':').next().unwrap_or(&key);
            for target in element.remove(&key).map(texts).unwrap_or_default() {
                let target = self.id(&target);
                self.add_edge(from, target, ty.to_owned(), location)?;
            }
        }
        Ok(())
    }

    fn add_edge(
        &mut self,
        source: &str,
        target: String,
        ty: String,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        let edge = RawEdge {
            source: Some(source.to_owned()),
            target: Some(target),
            ty: Some(ty),
            rest: ImportedEdge::default(),
        };
        self.to.edge(location, edge)
    }

    fn instance(
        &mut self,
        mut element: Map<String, Json>,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        element.remove("@type");
        let id = element.remove("@id").as_ref().and_then(fields::text);
        let identifier = take_text(&mut element, &["identifier"]).filter(|_| self.is_own);
        let mut fields = self.common_fields(&mut element);
        let mut ends = [["source"], ["destination"]].map(|names| {
            let name = take(&mut element, &names).map(texts);
            name.and_then(|names| names.into_iter().next())
                .map(|name| self.id(&name))
        });
        let predicate = take(&mut element, &["predicate"]).map(texts);
        let predicate = predicate
            .and_then(|names| names.into_iter().next())
            .unwrap_or_default();
        let predicate = self.id(&predicate);
        let ty = match self.relations.relation(&predicate) {
            Some(relation) => {
                if relation.is_inverse {
                    ends.reverse();
                }
                relation.ty
            }
            None if predicate.is_empty() => String::new(),
            None => {
                self.to.repair("unknown_relation", location, || {
                    let name = brief(&predicate);
                    format!(
                        "the relation '{name}' is not defined; its name was used as the type of the edge"
                    )
                });
                predicate
            }
        };
        fields.insert("type".to_owned(), Json::from(ty));
        for (name, end) in ["source", "target"].into_iter().zip(ends) {
            fields.extend(end.map(|end| (name.to_owned(), Json::from(end))));
        }
        if let Some(id) = identifier.or_else(|| id.map(|id| self.id(&id))) {
            fields.insert("id".to_owned(), Json::from(id));
        }
        if let Some(label) = take_text(&mut element, &["label", "title"]) {
            fields.insert("label".to_owned(), Json::from(label));
        }
        match fields.entry(fields::DATA).or_insert_with(|| json!({})) {
            Json::Object(data) => data.extend(element),
            _ => fields.extend(element),
        }
        fields::add(ElementKind::Edge, fields, location, self.to)
    }

    /// Adds edges for references; returns true if there are any.
    fn add_references(&mut self) -> Result<bool, FormatError> {
        let mut has_any = false;
        for reference in std::mem::take(&mut self.references) {
            let Reference {
                location,
                from,
                named,
                content,
            } = reference;
            let mut seen = FxHashSet::default();
            let listed = named.into_iter().map(|name| self.id(&name));
            let listed = listed.filter(|id| self.ids.contains(id));
            let names = text::page_names(&content).into_iter();
            let names = names.chain(text::addresses(&content));
            let found = names.filter_map(|name| {
                let titled = || self.titled.get(name)?.as_ref();
                self.pages.get(name).or_else(titled).cloned()
            });
            let pages: Vec<String> = listed.chain(found).filter(|page| *page != from).collect();
            for page in pages {
                if seen.insert(page.clone()) {
                    has_any = true;
                    self.add_edge(&from, page, REFERS_TO.to_owned(), location)?;
                }
            }
        }
        Ok(has_any)
    }
}
