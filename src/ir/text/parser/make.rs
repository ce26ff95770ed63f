//! The op out of its parts: attributes go where the table says, in one spelling.

use smallvec::SmallVec;

use super::Parser;
use super::ops::{Entries, OpParts};
use crate::attr::AttrKind;
use crate::diag::Span;
use crate::entity::{Attr, Name, Op};
use crate::module::OpSpec;
use crate::ops::{AttrForm, OpDef, Opcode};

impl Parser<'_, '_> {
    pub(super) fn make(&mut self, opcode: Opcode, mut parts: OpParts, span: Span) -> Op {
        if let Some(def) = opcode.def() {
            self.sort_attrs(def, &mut parts);
        }
        let inherent = self.dict_of(parts.inherent);
        let discardable = self.dict_of(parts.discardable);
        let spec = OpSpec {
            opcode,
            operands: parts.operands,
            result_types: parts.results,
            inherent: Some(inherent),
            discardable: Some(discardable),
            regions: 0,
            successors: parts.successors,
            loc: None,
            span,
        };
        let op = self.module.create(spec);
        for (index, &lo) in parts.places.iter().enumerate() {
            self.module.set_operand_place(op, index, lo);
        }
        if !parts.regions.is_empty() {
            self.module.adopt_regions(op, &parts.regions);
        }
        op
    }
    fn dict_of(&mut self, mut entries: Entries) -> Attr {
        if entries.is_empty() {
            return self.module.attrs.empty_dict();
        }
        self.module.attrs.dict_of(&self.module.names, &mut entries)
    }

    /// Moves declared attributes among the inherent ones, and drops values that absence means as well.
    fn sort_attrs(&mut self, def: &OpDef, parts: &mut OpParts) {
        let module = &*self.module;
        let mut index = 0;
        while index < parts.discardable.len() {
            if def.declares_attr(module.names.get(parts.discardable[index].0)) {
                let moved = parts.discardable.swap_remove(index);
                if !parts.inherent.iter().any(|entry| entry.0 == moved.0) {
                    parts.inherent.push(moved);
                }
            } else {
                index += 1;
            }
        }
        let mut respelt: SmallVec<[(Name, String); 1]> = SmallVec::new();
        parts.inherent.retain(|&mut (name, value)| {
            let text = module.names.get(name);
            if text == crate::module::SEGMENT_SIZES {
                return def.has_segments();
            }
            let Some(attr) = def.attr(text) else { return true };
            let AttrForm::Keyword { mnemonic, words, many } = attr.form else { return true };
            let AttrKind::Opaque(text) = module.attrs.kind(value) else { return true };
            let Some(inner) = keyword_text(text, mnemonic) else { return true };
            if attr.default == Some(inner) {
                return false;
            }
            if !words.contains(&inner)
                && let Some(canonical) = canonical_keywords(inner, words, many)
            {
                if attr.default == Some(&*canonical) {
                    return false;
                }
                respelt.push((name, format!("#{mnemonic}<{canonical}>")));
            }
            true
        });
        for (name, text) in respelt {
            let value = self.module.attrs.intern(AttrKind::Opaque(text.into()));
            parts.inherent.iter_mut().filter(|entry| entry.0 == name).for_each(|entry| entry.1 = value);
        }
    }
}

/// What stands in `#mnemonic<...>`.
fn keyword_text<'a>(text: &'a str, mnemonic: &str) -> Option<&'a str> {
    text.strip_prefix('#')?.strip_prefix(mnemonic)?.strip_prefix('<')?.strip_suffix('>')
}

/// The words of an enumeration as MLIR prints them: each once, in the order of the table, `fast` for all of them.
/// `None` when one of them is unknown, or there are several and may not be.
fn canonical_keywords(text: &str, words: &[&str], many: bool) -> Option<String> {
    let given: Vec<&str> = text.split(',').map(str::trim).collect();
    if given.iter().any(|word| !words.contains(word)) || (given.len() > 1 && !many) {
        return None;
    }
    let flags = || words.iter().copied().filter(|word| !matches!(*word, "none" | "fast"));
    let all =
        words.contains(&"fast") && (given.contains(&"fast") || flags().all(|flag| given.contains(&flag)));
    if all {
        return Some("fast".to_owned());
    }
    let chosen: Vec<&str> = flags().filter(|flag| given.contains(flag)).collect();
    Some(if chosen.is_empty() { "none".to_owned() } else { chosen.join(", ") })
}
