//! The table of passes, and the pipelines made of them.

use tidegate_ir::Module;
use tidegate_ir::diag::Reported;

use super::{Changed, Pass, PassContext};
use crate::transform;

/// What values an option takes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`; the name alone means `true`.
    Flag,
    /// A whole number.
    Number {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
}

/// An option of a pass.
#[derive(Copy, Clone, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub kind: OptionKind,
    /// What its absence means, as text.
    pub default: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// The options given to a pass, in the order they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionValues(Vec<(&'static str, String)>);

impl OptionValues {
    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }
    /// Gives an option; a later value counts.
    pub fn set(&mut self, name: &'static str, value: String) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
    }
    /// The value of an option, if given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }
    /// The number given for an option.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(|value| value.parse().ok())
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct PassInfo {
    /// The name in pipelines.
    pub name: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Makes it.
    pub make: fn(&OptionValues) -> Box<dyn Pass>,
}

/// The passes that pipelines may name.
#[derive(Clone, Debug)]
pub struct Registry {
    rows: Vec<&'static PassInfo>,
}

impl Registry {
    /// The passes of this package that need no LLVM.
    pub fn standard() -> Self {
        Self { rows: STANDARD.iter().collect() }
    }
    /// Adds passes; one that has the name of an earlier one takes its place.
    pub fn extend(&mut self, rows: &'static [PassInfo]) {
        for row in rows {
            self.rows.retain(|known| known.name != row.name);
            self.rows.push(row);
        }
    }
    /// The pass called `name`.
    pub fn find(&self, name: &str) -> Option<&'static PassInfo> {
        self.rows.iter().copied().find(|row| row.name == name)
    }
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &'static PassInfo> + '_ {
        self.rows.iter().copied()
    }
}

/// A pass that is a function.
struct FnPass {
    name: &'static str,
    doc: &'static str,
    run: fn(&mut Module, &OptionValues, &mut PassContext<'_>) -> Result<Changed, Reported>,
    options: OptionValues,
}

impl Pass for FnPass {
    fn name(&self) -> &'static str {
        self.name
    }
    fn description(&self) -> &'static str {
        self.doc
    }
    fn run(&mut self, module: &mut Module, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
        (self.run)(module, &self.options, ctx)
    }
}

/// Rows of passes that are functions.
macro_rules! pass_table {
    ($($name:literal, $doc:literal, $run:path, [$($oname:literal : $okind:expr, $odefault:literal, $odoc:literal;)*];)*) => {
        &[$(PassInfo {
            name: $name,
            doc: $doc,
            options: &[$(OptionInfo { name: $oname, kind: $okind, default: $odefault, doc: $odoc },)*],
            make: |options| Box::new(FnPass { name: $name, doc: $doc, run: $run, options: options.clone() }),
        },)*]
    };
}

static STANDARD: &[PassInfo] = pass_table! {
    "canonicalize", "folds constants and brings ops into the form that later passes expect",
        transform::canonicalize::run, [];
    "cse", "computes equal pure expressions once",
        transform::cse::run, [];
    "dce", "removes pure ops whose results nobody uses",
        transform::dce::run, [];
    "licm", "moves pure ops out of loops when they compute the same in every iteration",
        transform::licm::run, [];
    "assign-parity", "makes the parity of each `tg.barrier_wait` explicit",
        transform::parity::run, [];
    "infer-layouts", "chooses how arrays lie in registers",
        transform::layouts::run, [];
    "insert-fences", "publishes ordinary writes to shared memory before an asynchronous copy reads them",
        transform::fences::run, [
            "diagnose": OptionKind::Flag, "false", "reports missing fences (TG0611) and changes nothing";
        ];
    "allocate-smem", "gives every allocation in shared memory its place",
        transform::smem::run, [
            "align": OptionKind::Number { min: 16, max: 1024 }, "16", "the least alignment of arrays, in bytes";
            "limit": OptionKind::Number { min: 0, max: 1 << 30 }, "232448", "the bytes that a block may use";
            "reuse": OptionKind::Flag, "true", "lets arrays share bytes when their lives cannot overlap";
        ];
};

/// The pipeline that `compile` runs before the lowering.
pub fn default_pipeline(target: &str) -> String {
    // Both families take the same steps so far; the targets differ in the lowering.
    let _ = target;
    "canonicalize,cse,licm,assign-parity,canonicalize,cse,insert-fences,infer-layouts,allocate-smem"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::read_pipeline;

    #[test]
    fn the_limit_of_shared_memory_is_that_of_the_targets() {
        let info = Registry::standard().find("allocate-smem").unwrap();
        let limit = info.options.iter().find(|option| option.name == "limit").unwrap();
        assert_eq!(limit.default, crate::target::COMMON.smem_bytes.to_string());
    }

    #[test]
    fn every_default_option_is_a_value_of_its_kind() {
        for row in Registry::standard().rows() {
            assert_eq!((row.make)(&OptionValues::default()).name(), row.name);
            for option in row.options {
                let text = format!("{}{{{}={}}}", row.name, option.name, option.default);
                assert!(read_pipeline(&text, &Registry::standard()).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn default_pipelines_are_readable() {
        for target in ["sm_90a", "sm_100a"] {
            assert!(read_pipeline(&default_pipeline(target), &Registry::standard()).is_ok());
        }
    }
}
