//! Contexts of JSON-LD: definitions of terms.
//!
//! [`inline`] checks every context before its use: afterwards nothing is remote, no term is defined by itself, and chains of
//! definitions and IRIs are short.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};

use crate::MAX_DEPTH;
use crate::error::{FileLocation, FormatError, brief};

/// Maximum number of contexts of a file.
const MAX_CONTEXTS: usize = 1_000;
/// Maximum number of terms in the contexts of a file.
const MAX_TERMS: usize = 10_000;
/// Maximum number of copies of terms: a context within another copies the outer one, and so does each use of a term with a
/// context of its own. Ninety million copies took minutes.
const MAX_COPIES: usize = 2_000_000;
/// Maximum number of bytes of an IRI in a context.
const MAX_IRI: usize = 512;

/// Definition of a term.
#[derive(Debug, Clone)]
struct TermDefinition {
    iri: String,
    /// True if its values are names of nodes.
    is_link: bool,
}

/// Terms of a context.
#[derive(Debug, Default)]
pub(super) struct Context {
    terms: FxHashMap<String, TermDefinition>,
}

impl Context {
    /// Creates a context from its JSON, which has no remote parts.
    pub(super) fn new(json: Option<&Json>) -> Result<Context, FormatError> {
        let mut context = Context::default();
        match json {
            Some(Json::Array(parts)) => {
                for part in parts {
                    context.extend(part)?;
                }
            }
            Some(part) => context.extend(part)?,
            None => {}
        }
        Ok(context)
    }

    fn extend(&mut self, part: &Json) -> Result<(), FormatError> {
        let Json::Object(part) = part else {
            return Ok(());
        };
        let mut resolved = FxHashMap::default();
        for (term, definition) in part {
            if !term.starts_with('@') {
                self.resolve(part, term, &mut resolved)?;
                let is_link = definition.get("@type").is_some_and(|ty| ty == "@id");
                let iri = resolved.get(term.as_str()).cloned().unwrap_or_default();
                self.terms
                    .insert(term.clone(), TermDefinition { iri, is_link });
            }
        }
        Ok(())
    }

    /// Resolves a term of a context, and the terms that it depends on, each once.
    fn resolve<'a>(
        &self,
        part: &'a Map<String, Json>,
        term: &'a str,
        resolved: &mut FxHashMap<&'a str, String>,
    ) -> Result<(), FormatError> {
        let mut chain: Vec<(&str, &str)> = Vec::new();
        let mut at = term;
        let mut iri = loop {
            if let Some(iri) = resolved.get(at) {
                break iri.clone();
            }
            if chain.len() > MAX_DEPTH {
                let problem = format!(
                    "the term '{}' of the context is defined by itself or through more than {MAX_DEPTH} other terms; \
                     define it directly",
                    brief(term)
                );
                return Err(FormatError::invalid(FileLocation::File, problem));
            }
            let text = part.get(at).and_then(definition).unwrap_or_default();
            let (prefix, local) = text.split_once(':').unwrap_or((text, ""));
            if prefix == at || !part.contains_key(prefix) {
                chain.push((at, ""));
                break self.expand(text).unwrap_or_else(|| text.to_owned());
            }
            chain.push((at, local));
            at = prefix;
        };
        for (term, local) in chain.into_iter().rev() {
            iri.push_str(local);
            if iri.len() > MAX_IRI {
                return Err(FormatError::too_large(
                    "bytes in an IRI of a context",
                    MAX_IRI,
                ));
            }
            resolved.insert(term, iri.clone());
        }
        Ok(())
    }

    /// Expands a term or a compact IRI; `None` if no term defines it.
    pub(super) fn expand(&self, name: &str) -> Option<String> {
        if let Some(term) = self.terms.get(name) {
            return Some(term.iri.clone());
        }
        let (prefix, local) = name.split_once(':')?;
        let prefix = self
            .terms
            .get(prefix)
            .filter(|_| !local.starts_with("//"))?;
        Some(format!("{}{local}", prefix.iri))
    }

    /// True if the IRI of a term contains a text.
    pub(super) fn mentions(&self, text: &str) -> bool {
        self.terms.values().any(|term| term.iri.contains(text))
    }

    /// True if the values of a term are names of nodes.
    pub(super) fn is_link(&self, term: &str) -> bool {
        self.terms.get(term).is_some_and(|term| term.is_link)
    }

    /// IRIs of the terms that may be prefixes, the longest first, with their names.
    pub(super) fn prefixes(&self) -> Vec<(String, String)> {
        let ends = ['#', '/', ':', '?', '='];
        let terms = self.terms.iter();
        let prefixes = terms.filter(|(_, term)| term.iri.ends_with(ends) && !term.is_link);
        let prefixes = prefixes.map(|(name, term)| (term.iri.clone(), name.clone()));
        let mut prefixes: Vec<(String, String)> = prefixes.collect();
        prefixes.sort_by(|one, other| (other.0.len(), &one.1).cmp(&(one.0.len(), &other.1)));
        prefixes
    }
}

/// Definition of a term in the JSON of a context.
fn definition(json: &Json) -> Option<&str> {
    json.as_str().or_else(|| json.get("@id")?.as_str())
}

/// Checks a context: rejects remote and cyclic ones and those that are too large, and replaces the built-in one.
pub(super) fn inline(context: &mut Json) -> Result<(), FormatError> {
    Counts::default().context(context)
}

/// As [`inline`], for every context in a document.
pub(super) fn inline_all(document: &mut Json) -> Result<(), FormatError> {
    let mut counts = Counts::default();
    counts.visit(document)?;
    let uses = if counts.is_scoped { counts.objects } else { 0 };
    if counts.terms.saturating_mul(counts.contexts + uses) > MAX_COPIES {
        return Err(FormatError::too_large(
            "copied terms of nested contexts",
            MAX_COPIES,
        ));
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    contexts: usize,
    terms: usize,
    objects: usize,
    /// True if a term has a context of its own.
    is_scoped: bool,
}

impl Counts {
    /// The JSON reader limits the depth of the recursion.
    fn visit(&mut self, value: &mut Json) -> Result<(), FormatError> {
        match value {
            Json::Array(items) => items.iter_mut().try_for_each(|item| self.visit(item)),
            Json::Object(fields) => {
                self.objects += 1;
                if let Some(context) = fields.get_mut("@context") {
                    self.context(context)?;
                }
                fields.values_mut().try_for_each(|value| self.visit(value))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
        }
    }

    fn context(&mut self, context: &mut Json) -> Result<(), FormatError> {
        let parts = match context {
            Json::Array(parts) => parts.iter_mut().collect(),
            part => vec![part],
        };
        for part in parts {
            self.contexts += 1;
            if let Json::String(url) = part {
                *part = built_in(url)?;
            }
            if part.get("@import").is_some() {
                return Err(remote_context("@import"));
            }
            let terms = part.as_object().into_iter().flatten();
            let mut scoped = terms.filter(|(_, own)| own.get("@context").is_some());
            self.is_scoped |= scoped.next().is_some();
            self.terms += part.as_object().map_or(0, Map::len);
            for (count, what, most) in [
                (self.contexts, "contexts", MAX_CONTEXTS),
                (self.terms, "terms in contexts", MAX_TERMS),
            ] {
                if count > most {
                    return Err(FormatError::too_large(what, most));
                }
            }
            Context::new(Some(part))?;
        }
        Ok(())
    }
}

fn remote_context(what: &str) -> FormatError {
    FormatError::Unsupported(format!(
        "the context is remote ({}), but remote contexts are not fetched; embed its definitions in the file",
        brief(what)
    ))
}

/// Built-in context for a URL.
fn built_in(url: &str) -> Result<Json, FormatError> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    match host {
        Some("discoursegraphs.com" | "www.discoursegraphs.com") => Ok(discourse()),
        _ => Err(remote_context(url)),
    }
}

/// Context of Discourse Graphs.
pub(super) fn discourse() -> Json {
    let link = |iri: &str| json!({ "@id": iri, "@type": "@id" });
    let mut context = json!({
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "dct": "http://purl.org/dc/terms/",
        "prov": "http://www.w3.org/ns/prov#",
        "sioc": "http://rdfs.org/sioc/ns#",
        "dgc": "https://discoursegraphs.com/schema/dg_core#",
        "dgb": "https://discoursegraphs.com/schema/dg_base#",
        "label": "rdfs:label",
        "title": "dct:title",
        "description": "dct:description",
        "created": "dct:created",
        "modified": "dct:modified",
        "creator": "dct:creator",
        "content": "sioc:content",
        "name": "sioc:name",
        "UserAccount": "sioc:UserAccount",
        "Container": "sioc:Container",
        "inverseOf": link("owl:inverseOf"),
        "predicate": link("rdf:predicate"),
        "subClassOf": link("rdfs:subClassOf"),
        "domain": link("rdfs:domain"),
        "range": link("rdfs:range"),
    });
    for class in [
        "RelationDef",
        "AbstractRelationDef",
        "RelationInstance",
        "RelationSchema",
        "NodeSchema",
    ] {
        context[class] = json!(format!("dgb:{class}"));
    }
    for name in ["source", "destination", "textRefersToNode"] {
        context[name] = link(&format!("dgb:{name}"));
    }
    for class in [
        "Question",
        "Claim",
        "Evidence",
        "SourceDocument",
        "Argument",
    ] {
        context[class] = json!(format!("dgc:{class}"));
    }
    for name in [
        "observationStatement",
        "observationOriginActivity",
        "observationBase",
        "sourceDocument",
        "describesActivity",
        "opposes",
        "opposedBy",
        "supports",
        "supportedBy",
        "addresses",
        "addressedBy",
    ] {
        context[name] = link(&format!("dgc:{name}"));
    }
    context
}
