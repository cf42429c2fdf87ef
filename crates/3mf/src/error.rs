//! Read errors: problem, location and hint.

use std::fmt;

use fibula_core::graph::GraphError;
use fibula_nodes::Type;

/// Error returned when a 3MF file cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{}{problem}", LocationPrefix(.place))]
pub struct ReadError {
    /// Cause of the error.
    #[source]
    pub problem: Problem,
    /// Location of the problem, as far as it is known.
    pub place: Box<Location>,
}

/// Location in a package, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// Part of the package, such as `3D/3dmodel.model`.
    pub part: Option<String>,
    /// Line in the part, from 1 on.
    pub line: Option<u64>,
    /// Id and name of the function.
    pub function: Option<(u32, String)>,
    /// Identifier of the node.
    pub node: Option<String>,
}

/// Problem of a 3MF file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The bytes are not a zip archive.
    #[error("not a 3MF file: it is not a ZIP archive ({0})")]
    NotAZip(String),
    /// The archive ends before its directory.
    #[error(
        "the file is truncated: it starts as a ZIP archive, but the directory at its end is missing"
    )]
    Truncated,
    /// An entry of the archive cannot be unpacked, or its checksum is wrong.
    #[error("the part cannot be unpacked: {0}")]
    Damaged(String),
    /// An entry is packed by a method other than deflate.
    #[error("the part uses compression method {0}, but 3MF allows only stored and deflated parts")]
    Method(String),
    /// Something is larger than the limits allow.
    #[error("{what} is larger than the limit of {limit}")]
    TooLarge {
        /// The quantity.
        what: &'static str,
        /// Limit.
        limit: u64,
    },
    /// The archive has more entries than the limits allow.
    #[error("the archive has more than {0} entries")]
    TooManyEntries(usize),
    /// The name of an entry leads out of the package, or is not a part name.
    #[error("the archive has an entry named {0:?}, which is not a part name")]
    BadPath(String),
    /// Two entries have one name.
    #[error("the archive has two entries named {0:?} (case is ignored)")]
    DuplicatePart(String),
    /// An entry is encrypted.
    #[error("the entry {0:?} is encrypted, which 3MF does not allow")]
    Encrypted(String),
    /// The XML is not well-formed, or not what 3MF specifies.
    #[error("{0}")]
    Xml(String),
    /// Elements are nested deeper than the limits allow.
    #[error("elements are nested deeper than {0}")]
    TooDeep(usize),
    /// The XML has a document type declaration, or uses an entity that only one could declare.
    #[error("{0}, which 3MF does not allow")]
    Entity(String),
    /// The package does not say which part is the model, or does not have it.
    #[error("{0}")]
    NoModel(String),
    /// A required attribute is missing.
    #[error("<{element}> has no attribute {attribute}")]
    MissingAttribute {
        /// Element.
        element: String,
        /// Attribute.
        attribute: String,
    },
    /// The value of an attribute is invalid.
    #[error("{attribute}={got:?}, but it takes {expected}")]
    InvalidValue {
        /// Attribute.
        attribute: String,
        /// Value of the attribute.
        got: String,
        /// Valid values.
        expected: String,
    },
    /// The element is not a node of the implicit extension.
    #[error("unknown node element <{element}>")]
    UnknownElement {
        /// Element.
        element: String,
        /// Elements of similar names.
        nearest: Vec<String>,
    },
    /// A node has an input that its kind does not have, and it is linked.
    #[error("{element} has no input '{input}'")]
    UnknownInput {
        /// Element.
        element: String,
        /// Input.
        input: String,
        /// Inputs of similar names.
        nearest: Vec<String>,
    },
    /// A reference leads nowhere.
    #[error("{0}")]
    DanglingReference(String),
    /// A path leads to no other part of the package.
    #[error("{0}")]
    MissingPart(String),
    /// A model part that is not the root has a path to another.
    #[error("{0}")]
    PathInChildPart(String),
    /// A reference leads to a resource of the wrong kind.
    #[error("{from} refers to resource {id}, which is {actual}, not {expected}")]
    WrongResource {
        /// The resource or element that refers to it.
        from: String,
        /// The resource.
        id: u32,
        /// Class of the resource.
        actual: String,
        /// Class that the reference needs.
        expected: &'static str,
    },
    /// An element is missing, or occurs too often.
    #[error("{0}")]
    Structure(String),
    /// A triangle names a vertex that does not exist.
    #[error(
        "a triangle refers to vertex {vertex}, but its mesh has {vertices} vertices, counted from 0"
    )]
    UnknownVertex {
        /// Index.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A sheet of an image is not a PNG file, or the sheets differ in size.
    #[error("{0}")]
    Image(String),
    /// The function of a field has no input `pos`.
    #[error("{what} evaluates function {function} at points, but the function has no input pos of type float3{}",
        list_or_none(.inputs))]
    NoPosition {
        /// The field that calls it.
        what: String,
        /// Function.
        function: u32,
        /// Inputs of the function.
        inputs: Vec<String>,
    },
    /// The function of a field has no such output.
    #[error("{what} needs the output '{channel}' of function {function}{}", list_or_none(.outputs))]
    UnknownChannel {
        /// The field that needs it.
        what: String,
        /// Function.
        function: u32,
        /// Output.
        channel: String,
        /// Outputs of the function.
        outputs: Vec<String>,
    },
    /// The output has a type that the field does not take.
    #[error(
        "{what} takes {expected}, but the output '{channel}' of function {function} is a {got}"
    )]
    ChannelType {
        /// The field that needs it.
        what: String,
        /// Function.
        function: u32,
        /// Output.
        channel: String,
        /// Types that the field takes.
        expected: &'static str,
        /// Type of the output.
        got: Type,
    },
    /// A resource is part of itself, or refers to what refers to it.
    #[error("a resource cannot contain itself: {0}")]
    RecursiveObject(String),
    /// An item of the build is of an object that 3MF never builds.
    #[error(
        "build item {item} refers to object {object}, whose type is other; such objects cannot be built"
    )]
    NotBuildable {
        /// Number of the item, from 1 on.
        item: usize,
        /// Object.
        object: u32,
    },
    /// The caller cancelled the reading.
    #[error("reading was cancelled")]
    Cancelled,
    /// Two resources, ports or nodes have one id or identifier.
    #[error("{0}")]
    DuplicateId(String),
    /// A node has an identifier that references use for the ends of the function.
    #[error("the identifier '{0}' is reserved: references use it for the ends of a function")]
    ReservedIdentifier(String),
    /// The types of a reference and its source differ.
    #[error("{what} takes a {expected}, but {source_port} is a {got}")]
    TypeMismatch {
        /// Input.
        what: String,
        /// Type of the input.
        expected: Type,
        /// Source of the reference, as written.
        source_port: String,
        /// Type of the source.
        got: Type,
    },
    /// No overload of the kind has the types that the node is written with.
    #[error("no overload of {element} has {written}; it has {overloads}")]
    NoOverload {
        /// Element.
        element: String,
        /// Types that the file gives the node.
        written: String,
        /// Overloads of the kind.
        overloads: String,
    },
    /// The nodes of a function form a cycle.
    #[error("the links of the nodes form a cycle: {0}")]
    Cycle(String),
    /// Functions call each other recursively.
    #[error("the calls of functions form a cycle: {0}")]
    RecursiveCall(String),
    /// The document rejects the function.
    #[error(transparent)]
    Graph(#[from] Box<GraphError>),
}

impl ReadError {
    /// Stable code of the problem.
    pub fn code(&self) -> &'static str {
        match &self.problem {
            Problem::NotAZip(_) => "not_a_zip",
            Problem::Truncated => "truncated",
            Problem::Damaged(_) => "damaged",
            Problem::Method(_) => "unsupported_method",
            Problem::TooLarge { .. } => "too_large",
            Problem::TooManyEntries(_) => "too_many_entries",
            Problem::BadPath(_) => "bad_path",
            Problem::DuplicatePart(_) => "duplicate_part",
            Problem::Encrypted(_) => "encrypted",
            Problem::Xml(_) => "xml",
            Problem::TooDeep(_) => "too_deep",
            Problem::Entity(_) => "entity",
            Problem::NoModel(_) => "no_model",
            Problem::MissingAttribute { .. } => "missing_attribute",
            Problem::InvalidValue { .. } => "invalid_value",
            Problem::UnknownElement { .. } => "unknown_element",
            Problem::UnknownInput { .. } => "unknown_parameter",
            Problem::DanglingReference(_) => "dangling_reference",
            Problem::MissingPart(_) => "missing_part",
            Problem::PathInChildPart(_) => "path_in_child_part",
            Problem::WrongResource { .. } => "resource_kind_mismatch",
            Problem::Structure(_) => "invalid_structure",
            Problem::UnknownVertex { .. } => "unknown_vertex",
            Problem::Image(_) => "invalid_image",
            Problem::NoPosition { .. } => "no_position",
            Problem::UnknownChannel { .. } => "unknown_channel",
            Problem::RecursiveObject(_) => "recursive_object",
            Problem::NotBuildable { .. } => "not_buildable",
            Problem::Cancelled => "cancelled",
            Problem::DuplicateId(_) => "duplicate_id",
            Problem::ReservedIdentifier(_) => "reserved_identifier",
            Problem::TypeMismatch { .. } | Problem::ChannelType { .. } => "type_mismatch",
            Problem::NoOverload { .. } => "no_overload",
            Problem::Cycle(_) => "cycle",
            Problem::RecursiveCall(_) => "recursive_call",
            Problem::Graph(error) => error.code(),
        }
    }

    /// Advice for the problem, if there is some.
    pub fn hint(&self) -> Option<String> {
        let text = match &self.problem {
            Problem::NotAZip(_) => "choose a file with the extension .3mf",
            Problem::Truncated => "copy or download the file again",
            Problem::Damaged(_) => {
                "copy the file again, or export it again from the program that created it"
            }
            Problem::Method(_) | Problem::Encrypted(_) => {
                "export the file again from the program that created it; do not repack it"
            }
            Problem::TooLarge { .. } | Problem::TooManyEntries(_) => {
                "if you trust the file, read it with larger limits"
            }
            Problem::DuplicatePart(_) | Problem::BadPath(_) => {
                "do not trust this file: programs read it differently"
            }
            Problem::Entity(_) => {
                "remove the document type declaration, and replace its entities with their text"
            }
            Problem::UnknownElement { nearest, .. } | Problem::UnknownInput { nearest, .. } => {
                return (!nearest.is_empty()).then(|| format!("there is {}", nearest.join(", ")));
            }
            Problem::DuplicateId(_) | Problem::ReservedIdentifier(_) => {
                "rename one, and every reference to it"
            }
            Problem::TypeMismatch { expected, got, .. } => return conversion_hint(*expected, *got),
            Problem::Cycle(_) | Problem::RecursiveObject(_) => "remove one of these references",
            Problem::RecursiveCall(_) => "make one of these functions call a copy without calls",
            Problem::UnknownVertex { .. } => {
                "the mesh is damaged; export it again from the program that created it"
            }
            Problem::Image(_) => "save all sheets of the image as PNG files of one size",
            Problem::NoPosition { .. } => {
                "add an input pos of type float3 to the function, or refer to another function"
            }
            Problem::UnknownChannel { .. } => "use one of the function's outputs",
            Problem::ChannelType { .. } => "use another output, or another function",
            Problem::NotBuildable { .. } => {
                "remove the item, or change the object's type, for example to model"
            }
            Problem::Xml(_)
            | Problem::Structure(_)
            | Problem::Cancelled
            | Problem::TooDeep(_)
            | Problem::NoModel(_)
            | Problem::MissingAttribute { .. }
            | Problem::InvalidValue { .. }
            | Problem::DanglingReference(_)
            | Problem::MissingPart(_)
            | Problem::PathInChildPart(_)
            | Problem::WrongResource { .. }
            | Problem::NoOverload { .. }
            | Problem::Graph(_) => return None,
        };
        Some(text.to_owned())
    }
}

/// Hint naming the node that converts one type to another.
fn conversion_hint(expected: Type, got: Type) -> Option<String> {
    let node = match (got, expected) {
        (Type::Float, Type::Float3) => "vectorfromscalar",
        (Type::Float3, Type::Float) => "decomposevector",
        _ => return None,
    };
    Some(format!("insert a {node} node between them"))
}

/// "; there is a, b", or that there is none.
fn list_or_none(there: &[String]) -> String {
    if there.is_empty() {
        "; there are none".to_owned()
    } else {
        format!("; there is {}", there.join(", "))
    }
}

impl Problem {
    /// True if nothing can be read after it: the package or its XML is broken or beyond the limits, or reading was
    /// cancelled.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            Problem::NotAZip(_)
            | Problem::Truncated
            | Problem::Damaged(_)
            | Problem::Method(_)
            | Problem::TooLarge { .. }
            | Problem::TooManyEntries(_)
            | Problem::BadPath(_)
            | Problem::DuplicatePart(_)
            | Problem::Encrypted(_)
            | Problem::Xml(_)
            | Problem::TooDeep(_)
            | Problem::Entity(_)
            | Problem::NoModel(_)
            | Problem::Cancelled => true,
            Problem::MissingAttribute { .. }
            | Problem::InvalidValue { .. }
            | Problem::UnknownElement { .. }
            | Problem::UnknownInput { .. }
            | Problem::DanglingReference(_)
            | Problem::MissingPart(_)
            | Problem::PathInChildPart(_)
            | Problem::WrongResource { .. }
            | Problem::Structure(_)
            | Problem::UnknownVertex { .. }
            | Problem::Image(_)
            | Problem::NoPosition { .. }
            | Problem::UnknownChannel { .. }
            | Problem::ChannelType { .. }
            | Problem::RecursiveObject(_)
            | Problem::NotBuildable { .. }
            | Problem::DuplicateId(_)
            | Problem::ReservedIdentifier(_)
            | Problem::TypeMismatch { .. }
            | Problem::NoOverload { .. }
            | Problem::Cycle(_)
            | Problem::RecursiveCall(_)
            | Problem::Graph(_) => false,
        }
    }

    pub(crate) fn too_large(what: &'static str, limit: u64) -> Problem {
        Problem::TooLarge { what, limit }
    }

    pub(crate) fn xml(text: &str) -> Problem {
        Problem::Xml(text.to_owned())
    }

    /// Returns the problem with its location.
    pub(crate) fn at(self, place: Location) -> ReadError {
        ReadError {
            problem: self,
            place: Box::new(place),
        }
    }
}

/// Adds a location to the problem of a result.
pub(crate) trait Locate<T> {
    fn at(self, place: &Location) -> Result<T, ReadError>;
}

impl<T> Locate<T> for Result<T, Problem> {
    fn at(self, place: &Location) -> Result<T, ReadError> {
        self.map_err(|problem| problem.at(place.clone()))
    }
}

impl Location {
    /// Location of a part of the package.
    pub(crate) fn part(name: impl Into<String>) -> Location {
        Location {
            part: Some(name.into()),
            ..Location::default()
        }
    }

    /// Returns the location with another line.
    #[must_use]
    pub(crate) fn at_line(&self, line: u64) -> Location {
        Location {
            line: Some(line),
            ..self.clone()
        }
    }
}

impl fmt::Display for Location {
    /// Writes `3D/3dmodel.model:12, function 3 (main), node Sine_4`; nothing for an unknown place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some(part) = &self.part {
            write!(f, "{part}")?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            gap = ", ";
        }
        if let Some((id, name)) = &self.function {
            write!(f, "{gap}function {id} ({})", brief(name))?;
            gap = ", ";
        }
        if let Some(node) = &self.node {
            write!(f, "{gap}node {}", brief(node))?;
        }
        Ok(())
    }
}

/// Location and a colon; nothing for an unknown location.
struct LocationPrefix<'a>(&'a Location);

impl fmt::Display for LocationPrefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.0 == Location::default() {
            return Ok(());
        }
        write!(f, "{}: ", self.0)
    }
}

/// Abbreviates a text from a file for a message.
pub(crate) fn brief(text: &str) -> String {
    fibula_nodes::names::visible(text, 60)
}
