//! Files of projects: 3MF packages, imports, exports, and damaged ones.

#[macro_use]
#[path = "../check/mod.rs"]
#[expect(unused_macros, reason = "other programs use the rest")]
mod check;
#[path = "../archive/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod archive;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[path = "../random/mod.rs"]
mod random;
#[path = "../samples/mod.rs"]
mod samples;

mod closures;
mod damage_run;
mod faulty;
mod import;
mod kept;
mod packages;
mod portable;
mod production;
mod schema;
mod threemf;
mod threemf_write;
