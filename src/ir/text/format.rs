//! The assembly formats of the op tables. Parser and printer interpret the same pieces, so they cannot disagree.
//!
//! A format is a list of pieces separated by blanks:
//!
//! | piece | stands for |
//! |---|---|
//! | `` `text` `` | a keyword or a sign |
//! | `$name` | an operand group, or an attribute in its short spelling |
//! | `index($name)` | an index list `[%i, 0]`, left out when empty |
//! | `keyword($name)` | the words of an enumeration attribute in `<...>` |
//! | `type($name)` | the types of an operand or result group |
//! | `attrs` | the dictionary of other attributes, left out when empty |
//! | `opt(...)` | pieces that are there when their first operand or attribute is |

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::ops::{Format, OpDef, Opcode};

/// One piece of a format. Numbers are positions in the op's row.
#[derive(Debug)]
pub(super) enum Piece {
    Literal(&'static str),
    Operand(usize),
    Attr(usize),
    Index {
        group: usize,
        /// The attribute of the numbers in the list.
        statics: String,
    },
    Keyword(usize),
    OperandType(usize),
    ResultType(usize),
    Attrs,
    Opt(Vec<Piece>),
}

/// An op's format, taken apart.
#[derive(Debug, Default)]
struct Layout {
    pieces: Vec<Piece>,
    /// The attributes that some piece shows.
    shown: Vec<String>,
}

fn layout(def: &'static OpDef) -> Option<&'static Layout> {
    // Rows are statics, so an address stands for a row.
    let key = |def: &'static OpDef| std::ptr::from_ref(def) as usize;
    static LAYOUTS: OnceLock<FxHashMap<usize, Layout>> = OnceLock::new();
    let layouts = LAYOUTS.get_or_init(|| {
        let defs = Opcode::all().filter_map(Opcode::def);
        let compiled = defs.filter_map(|def| match def.format {
            Format::Text(text) => {
                let pieces = compile(def, text)?;
                let mut shown = vec![crate::module::SEGMENT_SIZES.to_owned()];
                collect_shown(&pieces, def, &mut shown);
                Some((key(def), Layout { pieces, shown }))
            }
            Format::Custom | Format::Generic => None,
        });
        compiled.collect()
    });
    layouts.get(&key(def))
}

/// The pieces of the op's format; none when it has no interpreted one.
pub(super) fn pieces(def: &'static OpDef) -> &'static [Piece] {
    layout(def).map_or(&[], |layout| &layout.pieces)
}

/// The pieces of `text`, or `None` when it is malformed; a test compiles all of them.
fn compile(def: &OpDef, text: &'static str) -> Option<Vec<Piece>> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('`') {
            let (literal, after) = after.split_once('`')?;
            found.push(Piece::Literal(literal));
            rest = after.trim_start();
            continue;
        }
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if let Some(after) = after.strip_prefix('(') {
            let close = closing(after)?;
            let inner = &after[..close];
            found.push(match word {
                "opt" => Piece::Opt(compile(def, inner)?),
                "index" => {
                    let name = inner.strip_prefix('$')?;
                    Piece::Index { group: def.operand_index(name)?, statics: format!("static_{name}") }
                }
                "keyword" => Piece::Keyword(attr_index(def, inner.strip_prefix('$')?)?),
                "type" => {
                    let name = inner.strip_prefix('$')?;
                    match def.operand_index(name) {
                        Some(group) => Piece::OperandType(group),
                        None => Piece::ResultType(def.result_index(name)?),
                    }
                }
                _ => return None,
            });
            rest = after[close + 1..].trim_start();
            continue;
        }
        found.push(match word.strip_prefix('$') {
            Some(name) => match def.operand_index(name) {
                Some(group) => Piece::Operand(group),
                None => Piece::Attr(attr_index(def, name)?),
            },
            None if word == "attrs" => Piece::Attrs,
            None => return None,
        });
        rest = after.trim_start();
    }
    Some(found)
}

fn attr_index(def: &OpDef, name: &str) -> Option<usize> {
    def.attrs.iter().position(|attr| attr.name == name)
}

/// The position of the bracket that closes one opened just before `text`. Literals may hold brackets.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut literal = false;
    for (at, c) in text.char_indices() {
        match c {
            '`' => literal = !literal,
            '(' if !literal => depth += 1,
            ')' if !literal => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether some piece of the op's format shows an inherent attribute.
pub(super) fn shows(def: &'static OpDef, name: &str) -> bool {
    layout(def).is_some_and(|layout| layout.shown.iter().any(|shown| shown == name))
}

fn collect_shown(pieces: &[Piece], def: &OpDef, found: &mut Vec<String>) {
    for piece in pieces {
        match piece {
            Piece::Attr(index) | Piece::Keyword(index) => found.push(def.attrs[*index].name.to_owned()),
            Piece::Index { statics, .. } => found.push(statics.clone()),
            Piece::Opt(inner) => collect_shown(inner, def, found),
            Piece::Literal(_)
            | Piece::Operand(_)
            | Piece::OperandType(_)
            | Piece::ResultType(_)
            | Piece::Attrs => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_compiles_and_shows_every_operand_and_attribute() {
        for def in Opcode::all().filter_map(Opcode::def) {
            let Format::Text(text) = def.format else { continue };
            let pieces =
                compile(def, text).unwrap_or_else(|| panic!("{}: malformed format {text:?}", def.name));
            for attr in def.attrs {
                assert!(shows(def, attr.name), "{}: attribute {} is not in the format", def.name, attr.name);
            }
            let text = format!("{pieces:?}");
            for group in 0..def.operands.len() {
                let there = text.contains(&format!("Operand({group})"))
                    || text.contains(&format!("Index {{ group: {group},"));
                assert!(there, "{}: operand group {group} is not in the format", def.name);
            }
        }
    }
}
