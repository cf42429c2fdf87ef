//! Read errors: problem, location and hint.

use std::fmt;

use fibula_core::graph::GraphError;
use fibula_nodes::Type;

/// Why a 3MF file could not be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{problem}", Prefix(.place))]
pub struct ReadError {
    /// What is wrong.
    #[source]
    pub problem: Problem,
    /// Where it is, as far as it has a place in the package.
    pub place: Box<Location>,
}

/// A place in a package: as much of it as is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The part of the package, such as `3D/3dmodel.model`.
    pub part: Option<String>,
    /// The line in the part, from 1 on.
    pub line: Option<u64>,
    /// The id and the name of the function.
    pub function: Option<(u32, String)>,
    /// The identifier of the node.
    pub node: Option<String>,
}

/// What is wrong with a 3MF file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The bytes are no zip archive.
    #[error("this is no 3MF file: it is not a zip archive ({0})")]
    NotAZip(String),
    /// The archive ends before its directory.
    #[error(
        "the file is cut off: it starts as a zip archive, but the directory at its end is missing"
    )]
    Truncated,
    /// An entry of the archive cannot be unpacked, or its checksum is wrong.
    #[error("the part cannot be unpacked: {0}")]
    Damaged(String),
    /// An entry is packed by a method other than deflate.
    #[error("the part is packed by the method {0}, but 3MF allows only stored and deflated parts")]
    Method(String),
    /// Something is larger than the limits allow.
    #[error("{what} is larger than the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The archive has more entries than the limits allow.
    #[error("the archive has more than {0} entries")]
    TooManyEntries(usize),
    /// The name of an entry leads out of the package, or is no part name.
    #[error("the archive has an entry with the name {0:?}, which is no name of a part")]
    BadPath(String),
    /// Two entries have one name.
    #[error(
        "the archive has two entries with the name {0:?} (upper and lower case count as equal)"
    )]
    DuplicatePart(String),
    /// An entry is encrypted.
    #[error("the entry {0:?} is encrypted, which 3MF does not allow")]
    Encrypted(String),
    /// The XML is not well-formed, or not what 3MF says.
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
    /// An attribute that must be there is not.
    #[error("<{element}> has no attribute {attribute}")]
    MissingAttribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
    },
    /// An attribute says nothing that it may say.
    #[error("{attribute}={got:?}, but it takes {expected}")]
    InvalidValue {
        /// The attribute.
        attribute: String,
        /// What it says.
        got: String,
        /// What it may say.
        expected: String,
    },
    /// The element is no node of the implicit extension.
    #[error("<{element}> is no node that is known here")]
    UnknownElement {
        /// The element.
        element: String,
        /// Elements of similar names.
        nearest: Vec<String>,
    },
    /// A node has an input that its kind does not have, and it is linked.
    #[error("{element} has no input '{input}'")]
    UnknownInput {
        /// The element.
        element: String,
        /// The input.
        input: String,
        /// What the kind has.
        nearest: Vec<String>,
    },
    /// A reference names what is not there.
    #[error("{0}")]
    DanglingReference(String),
    /// A reference leads to a resource of the wrong kind.
    #[error("{from} refers to resource {id}, which is {is}, but it needs {wants}")]
    WrongResource {
        /// What refers to it.
        from: String,
        /// The resource.
        id: u32,
        /// What the resource is.
        is: String,
        /// What it should be.
        wants: &'static str,
    },
    /// Something that must be there is not, or is there too often.
    #[error("{0}")]
    Structure(String),
    /// A triangle names a vertex that is not there.
    #[error("a triangle names the vertex {vertex}, and its mesh has {vertices}, counted from 0")]
    UnknownVertex {
        /// The index.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A sheet of an image is no PNG file, or the sheets are unlike.
    #[error("{0}")]
    Image(String),
    /// The function of a field takes no point.
    #[error("{what} asks function {function} at points, but it has no input pos of the type float3{}", or(.inputs))]
    NoPosition {
        /// What asks it.
        what: String,
        /// The function.
        function: u32,
        /// The inputs that there are.
        inputs: Vec<String>,
    },
    /// The function of a field has no such output.
    #[error("{what} needs the output '{channel}' of function {function}{}", or(.outputs))]
    UnknownChannel {
        /// What needs it.
        what: String,
        /// The function.
        function: u32,
        /// The output.
        channel: String,
        /// The outputs that there are.
        outputs: Vec<String>,
    },
    /// The output has a type that the field does not take.
    #[error("{what} takes {wants}, but the output '{channel}' of function {function} is a {got}")]
    ChannelType {
        /// What needs it.
        what: String,
        /// The function.
        function: u32,
        /// The output.
        channel: String,
        /// What it should be.
        wants: &'static str,
        /// What it is.
        got: Type,
    },
    /// A resource is part of itself, or refers to what refers to it.
    #[error("a resource cannot be part of itself: {0}")]
    RecursiveObject(String),
    /// An item of the build is of an object that 3MF never builds.
    #[error(
        "build item {item} builds object {object}, which is of the type other, and such objects are never built"
    )]
    NotBuildable {
        /// The number of the item, from 1 on.
        item: usize,
        /// The object.
        object: u32,
    },
    /// The caller wants no result any more.
    #[error("the reading was cancelled")]
    Cancelled,
    /// Two things have one id or identifier.
    #[error("{0}")]
    DuplicateId(String),
    /// A node has an identifier that references use for the ends of the function.
    #[error("the identifier '{0}' is reserved: references use it for the ends of a function")]
    ReservedIdentifier(String),
    /// A reference is of another type than what it refers to.
    #[error("{what} takes a {expected}, but {source_port} yields a {got}")]
    TypeMismatch {
        /// The input.
        what: String,
        /// Its type.
        expected: Type,
        /// What it refers to, as it is written.
        source_port: String,
        /// The type of that.
        got: Type,
    },
    /// No overload of the kind has the types that the node is written with.
    #[error("no overload of {element} has {written}; it has {overloads}")]
    NoOverload {
        /// The element.
        element: String,
        /// The types that the file gives the node.
        written: String,
        /// The overloads there are.
        overloads: String,
    },
    /// Nodes depend on each other in a circle.
    #[error("the nodes depend on each other in a circle: {0}")]
    Cycle(String),
    /// Functions call each other in a circle.
    #[error("functions call each other in a circle: {0}")]
    RecursiveCall(String),
    /// The graph cannot be built, for a reason that is not the file format's.
    #[error(transparent)]
    Graph(#[from] Box<GraphError>),
}

impl ReadError {
    /// The stable name of what is wrong.
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

    /// What can be done about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        let text = match &self.problem {
            Problem::NotAZip(_) => "choose a file with the ending .3mf",
            Problem::Truncated => "copy or download the file again",
            Problem::Damaged(_) => {
                "copy the file again, or write it again with the program that made it"
            }
            Problem::Method(_) | Problem::Encrypted(_) => {
                "write the file again with the program that made it; do not repack it"
            }
            Problem::TooLarge { .. } | Problem::TooManyEntries(_) => {
                "if the file is trusted, read it with larger limits"
            }
            Problem::DuplicatePart(_) | Problem::BadPath(_) => {
                "do not trust this file: programs disagree about it"
            }
            Problem::Entity(_) => {
                "remove the document type declaration, and write out what its entities stand for"
            }
            Problem::UnknownElement { nearest, .. } | Problem::UnknownInput { nearest, .. } => {
                return (!nearest.is_empty()).then(|| format!("there is {}", nearest.join(", ")));
            }
            Problem::DuplicateId(_) | Problem::ReservedIdentifier(_) => {
                "rename one, and every reference to it"
            }
            Problem::TypeMismatch { expected, got, .. } => return bridge(*expected, *got),
            Problem::Cycle(_) | Problem::RecursiveObject(_) => "remove one of these references",
            Problem::RecursiveCall(_) => {
                "let one of these functions call a copy that calls nothing"
            }
            Problem::UnknownVertex { .. } => {
                "write the mesh again with the program that made it; it is damaged"
            }
            Problem::Image(_) => "write all sheets of the image as PNG files of one size",
            Problem::NoPosition { .. } => {
                "give the function an input pos of the type float3, or name another function"
            }
            Problem::UnknownChannel { .. } => "name one of the outputs that the function has",
            Problem::ChannelType { .. } => "name another output, or another function",
            Problem::NotBuildable { .. } => {
                "remove the item, or give the object another type, such as model"
            }
            Problem::Xml(_)
            | Problem::Structure(_)
            | Problem::Cancelled
            | Problem::TooDeep(_)
            | Problem::NoModel(_)
            | Problem::MissingAttribute { .. }
            | Problem::InvalidValue { .. }
            | Problem::DanglingReference(_)
            | Problem::WrongResource { .. }
            | Problem::NoOverload { .. }
            | Problem::Graph(_) => return None,
        };
        Some(text.to_owned())
    }
}

/// The node that leads from one type to another.
fn bridge(expected: Type, got: Type) -> Option<String> {
    let node = match (got, expected) {
        (Type::Float, Type::Float3) => "vectorfromscalar",
        (Type::Float3, Type::Float) => "decomposevector",
        _ => return None,
    };
    Some(format!("put a {node} node between"))
}

/// "; there is a, b", or that there is none.
fn or(there: &[String]) -> String {
    if there.is_empty() {
        "; there is none at all".to_owned()
    } else {
        format!("; there is {}", there.join(", "))
    }
}

impl Problem {
    /// Whether nothing can be read after it: the package or its XML is broken, beyond the limits, or unwanted.
    pub(super) fn is_final(&self) -> bool {
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

    /// The problem at a place.
    pub(super) fn at(self, place: Location) -> ReadError {
        ReadError {
            problem: self,
            place: Box::new(place),
        }
    }
}

impl Location {
    /// A part of the package.
    pub(super) fn part(name: impl Into<String>) -> Location {
        Location {
            part: Some(name.into()),
            ..Location::default()
        }
    }

    /// The place at another line.
    #[must_use]
    pub(super) fn at_line(&self, line: u64) -> Location {
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

/// The place and a colon, if there is a place.
struct Prefix<'a>(&'a Location);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.0 == Location::default() {
            return Ok(());
        }
        write!(f, "{}: ", self.0)
    }
}

/// A text from a file, short enough for a message.
pub(super) fn brief(text: &str) -> String {
    fibula_nodes::names::visible(text, 60)
}
