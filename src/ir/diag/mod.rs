//! Diagnostics: what is told to the user, where it points, and how it is shown.
//!
//! Owns source positions ([`Span`], [`SourceMap`]), the diagnostic itself ([`Diagnostic`], [`Label`],
//! [`Suggestion`]), the table of all codes ([`codes`]) with the text behind `tidegate explain`, and the sink
//! that collects ([`Diagnostics`]). Three renderers read the same diagnostics: [`render`] for people,
//! [`json`] for tools that read lines, [`sarif`] for code scanning services.
//!
//! Assumes nothing of a span: one from another source map, out of range or inside a character is shown as
//! well as it can be, and never makes a renderer panic.
//!
//! Guarantees: output depends on the diagnostics and the source text only, so two runs print the same bytes.
//!
//! ```
//! use tidegate_ir::diag::{codes, Diagnostic, Diagnostics, SourceMap};
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add_file("k.tg", "%v = tg.load %full[%c0]\n".into());
//! let mut sink = Diagnostics::new();
//! let load = sources.span(file, 5..12);
//! let bar = sources.span(file, 13..18);
//! sink.emit(
//!     Diagnostic::new(codes::BARRIER_AS_ARRAY, "a barrier has no elements to load")
//!         .at(bar, "this is a barrier reference")
//!         .label(load, "`tg.load` reads an array")
//!         .help("wait for its phase with `tg.barrier_wait`"),
//! );
//! assert!(sink.has_errors());
//! ```

pub mod codes;
pub mod diagnostic;
pub mod json;
mod nearest;
pub mod render;
pub mod sarif;
pub mod sink;
pub mod source;
#[cfg(test)]
mod tests;

pub use codes::{Code, CodeInfo};
pub use diagnostic::{Diagnostic, Label, Severity, Suggestion};
pub use nearest::edit_distance;
pub use render::Renderer;
pub use sink::{Diagnostics, Reported};
pub use source::{FileId, LineCol, SourceFile, SourceMap, SourceMapFull, Span, SpanLocation};
