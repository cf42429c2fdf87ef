//! Cases of tests as tables.

/// Calls a check with each change of an element, as a closure, and what is expected of it.
macro_rules! checks {
    ($check:ident, $element:ident: $($change:expr => $expected:expr;)+) => {
        $($check(&|$element| { $change; }, $expected);)+
    };
}
