//! Macros for the tables of tools and of their arguments.

/// Lists tools, a row each: effect, name, title, operation, description and example.
macro_rules! tools {
    ($($effect:ident $name:literal, $title:literal, $operation:expr, $text:literal, $example:literal;)*) => {
        vec![$($operation.tool(
            NAME,
            $name,
            $title,
            fibula_server::operation::Effect::$effect,
            concat!($text, " Example: ", $example),
        )),*]
    };
}

/// Declares the arguments of tools of a profile: the given fields, whose names are in camel case, and the project.
macro_rules! arguments {
    ($($(#[$meta:meta])* $name:ident { $($fields:tt)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        struct $name {
            $($fields)*
            /// The project; default "default".
            project: Option<String>,
        }

        impl crate::InProject for $name {
            fn project(&self) -> Option<&str> {
                self.project.as_deref()
            }
        }
    )*};
}
