//! Structs of requests and answers: the derives and fields that they share, defined once.
//!
//! In [`json_structs!`], `pub request struct` is a request, `pub answer struct` an answer or part of one, and `pub data
//! struct` the same without a schema. Further derives are in parentheses after the keyword.
//!
//! - In a request, unknown fields are refused. A flag that is left out is false, and a field with `= default` has its
//!   default. The fields that most requests have are named without a type: `project`, `revision`,
//!   `expected_revision`, `dry_run`, `limit` and `cursor`.
//! - In an answer, an `Option` that is `None` is left out, and so is an empty list with `= []`.
//! - In schemas, ids are numbers; in those of requests, a name may stand for the id of a function.

macro_rules! json_structs {
    ($($(#[$meta:meta])* pub $kind:ident $(($($derive:ident),*))? struct $name:ident { $($body:tt)* })*) => {
        $(json_struct! {
            @$kind [$(#[derive($($derive),*)])? $(#[$meta])*] $name [] $($body)*
        })*
    };
}

macro_rules! json_struct {
    (@request [$($meta:tt)*] $name:ident [$($fields:tt)*]) => {
        #[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $($meta)*
        pub struct $name { $($fields)* }
    };
    (@answer [$($meta:tt)*] $name:ident [$($fields:tt)*]) => {
        #[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
        #[expect(missing_docs, reason = "the names say it")]
        $($meta)*
        pub struct $name { $($fields)* }
    };
    (@data [$($meta:tt)*] $name:ident [$($fields:tt)*]) => {
        #[derive(Debug, Clone, serde::Serialize)]
        #[expect(missing_docs, reason = "the names say it")]
        $($meta)*
        pub struct $name { $($fields)* }
    };
    (@request $meta:tt $name:ident $fields:tt project, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " Default \"default\"."] pub project: Option<String>, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt revision, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " State at this revision."] pub revision: Option<u64>, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt expected_revision, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " Fail unless the project is at this revision."] pub expected_revision: Option<u64>, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt dry_run, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " Validate only; change nothing."] pub dry_run: bool, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt limit, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " Maximum number of items per page."] pub limit: Option<u32>, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt cursor, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields
            #[doc = " next_cursor of the last page."] pub cursor: Option<String>, $($rest)* }
    };
    (@request $meta:tt $name:ident $fields:tt $(#[$m:meta])* pub $n:ident: bool, $($rest:tt)*) => {
        json_struct! { @request $meta $name $fields $(#[$m])* pub $n: bool = default, $($rest)* }
    };
    (@request $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: $t:ty = default, $($rest:tt)*) => {
        json_struct! { @request $meta $name [
            $($fields)* $(#[$m])* #[serde(default)] pub $n: $t,
        ] $($rest)* }
    };
    (@request $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: Option<FunctionId>, $($rest:tt)*) => {
        json_struct! { @request $meta $name [
            $($fields)* $(#[$m])* #[schemars(with = "Option<crate::schema_types::FunctionKey>")] pub $n: Option<FunctionId>,
        ] $($rest)* }
    };
    (@request $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: Option<NodeId>, $($rest:tt)*) => {
        json_struct! { @request $meta $name [
            $($fields)* $(#[$m])* #[schemars(with = "Option<u32>")] pub $n: Option<NodeId>,
        ] $($rest)* }
    };
    (@answer $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: Option<NodeId>, $($rest:tt)*) => {
        json_struct! { @answer $meta $name [
            $($fields)* $(#[$m])*
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<u32>")]
            pub $n: Option<NodeId>,
        ] $($rest)* }
    };
    (@request $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: FunctionId, $($rest:tt)*) => {
        json_struct! { @request $meta $name [
            $($fields)* $(#[$m])* #[schemars(with = "crate::schema_types::FunctionKey")] pub $n: FunctionId,
        ] $($rest)* }
    };
    (@$kind:ident $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: FunctionId, $($rest:tt)*) => {
        json_struct! { @$kind $meta $name [
            $($fields)* $(#[$m])* #[schemars(with = "u32")] pub $n: FunctionId,
        ] $($rest)* }
    };
    (@$kind:ident $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: NodeId, $($rest:tt)*) => {
        json_struct! { @$kind $meta $name [
            $($fields)* $(#[$m])* #[schemars(with = "u32")] pub $n: NodeId,
        ] $($rest)* }
    };
    (@request $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: $t:ty, $($rest:tt)*) => {
        json_struct! { @request $meta $name [$($fields)* $(#[$m])* pub $n: $t,] $($rest)* }
    };
    (@$kind:ident $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: Option<$t:ty>, $($rest:tt)*) => {
        json_struct! { @$kind $meta $name [
            $($fields)* $(#[$m])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $n: Option<$t>,
        ] $($rest)* }
    };
    (@$kind:ident $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: Vec<$t:ty> = [], $($rest:tt)*) => {
        json_struct! { @$kind $meta $name [
            $($fields)* $(#[$m])*
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub $n: Vec<$t>,
        ] $($rest)* }
    };
    (@$kind:ident $meta:tt $name:ident [$($fields:tt)*] $(#[$m:meta])* pub $n:ident: $t:ty, $($rest:tt)*) => {
        json_struct! { @$kind $meta $name [$($fields)* $(#[$m])* pub $n: $t,] $($rest)* }
    };
}
