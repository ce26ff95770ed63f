//! Locations of lowered ops.
//!
//! A lowered op has the location `loc("tg.op#123"("kernel.mlir":7:3))`: the name says which op of ours it comes from,
//! for whatever MLIR reports about it; the place inside is the line of source. MLIR's debug information looks through
//! names, so line tables have the source line alone. Passes that make one op of two fuse their locations: the first
//! named one counts.

use std::fmt;

use melior::{Context, ir::Location};

const PREFIX: &str = "tg.op#";

/// The number of an op of ours. The lowering chooses the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpTag(pub u32);

/// A line of source, as line tables name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 when unknown.
    pub column: u32,
}

impl OpTag {
    /// The location of an op made from this one, at `line`.
    pub fn location<'c>(self, context: &'c Context, line: Option<&SourceLine>) -> Location<'c> {
        let place = line.map_or_else(|| Location::unknown(context), |line| line.location(context));
        Location::name(context, &format!("{PREFIX}{}", self.0), place)
    }

    /// The op that `location` names.
    pub fn of(location: Location<'_>) -> Option<Self> {
        search(location, &|location| {
            if !location.is_name() {
                return None;
            }
            let name = location.name_value();
            name.as_string_ref().as_str().ok()?.strip_prefix(PREFIX)?.parse().ok().map(Self)
        })
    }
}

impl SourceLine {
    /// The plain location.
    pub fn location<'c>(&self, context: &'c Context) -> Location<'c> {
        Location::new(context, &self.file, self.line as usize, self.column as usize)
    }

    /// The line that `location` stands for.
    pub fn of(location: Location<'_>) -> Option<Self> {
        search(location, &|location| {
            if !location.is_file_line_col_range() {
                return None;
            }
            let file = location.file_line_col_range_filename();
            Some(Self {
                file: file.as_string_ref().as_str().ok()?.to_owned(),
                line: u32::try_from(location.file_line_col_range_start_line()).ok()?,
                column: u32::try_from(location.file_line_col_range_start_column()).ok()?,
            })
        })
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The first answer of `ask` in `location` and the locations inside it, outermost first.
fn search<T>(location: Location<'_>, ask: &dyn Fn(Location<'_>) -> Option<T>) -> Option<T> {
    if let Some(answer) = ask(location) {
        return Some(answer);
    }
    if location.is_name() {
        search(location.name_child_location(), ask)
    } else if location.is_call_site() {
        search(location.call_site_callee(), ask).or_else(|| search(location.call_site_caller(), ask))
    } else if location.is_fused() {
        (0..location.fused_num_locations()).find_map(|index| search(location.fused_location(index), ask))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use melior::ir::Attribute;

    use super::*;

    fn line() -> SourceLine {
        SourceLine { file: "ring.mlir".into(), line: 7, column: 3 }
    }

    #[test]
    fn op_and_line_come_back() {
        let context = Context::new();
        let location = OpTag(123).location(&context, Some(&line()));
        assert_eq!(location.to_string(), r#"loc("tg.op#123"("ring.mlir":7:3))"#);
        assert_eq!((OpTag::of(location), SourceLine::of(location)), (Some(OpTag(123)), Some(line())));
        let bare = OpTag(4).location(&context, None);
        assert_eq!((OpTag::of(bare), SourceLine::of(bare)), (Some(OpTag(4)), None));
    }

    #[test]
    fn they_are_found_inside_fused_and_call_locations() {
        let context = Context::new();
        let named = OpTag(9).location(&context, Some(&line()));
        let other = Location::name(&context, "something", Location::unknown(&context));
        let fused = Location::fused(&context, &[other, named], Attribute::unit(&context));
        assert_eq!(OpTag::of(fused), Some(OpTag(9)));
        let call = Location::call_site(fused, Location::unknown(&context));
        assert_eq!((OpTag::of(call), SourceLine::of(call)), (Some(OpTag(9)), Some(line())));
        assert_eq!(OpTag::of(other), None);
    }
}
