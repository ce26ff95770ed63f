//! Names of ops, and what to say about wrong ones.

use smallvec::SmallVec;

use super::{Parsed, Parser, all_nearest, nearest};
use crate::diag::{Diagnostic, Span, codes};
use crate::ops::{BuiltinOp, DIALECTS, OpDef, Opcode};

impl Parser<'_, '_> {
    pub(super) fn generic_name(&mut self) -> Parsed<Opcode> {
        let span = self.span();
        let raw = self.current();
        let inner = &raw[1..raw.len() - 1];
        if let Some(opcode) = Opcode::find(inner) {
            self.bump();
            return Ok(opcode);
        }
        let name = self.string("the name of an op")?;
        let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
        if dialect == "tg" {
            return Err(self.unknown_op(&name, span));
        }
        if name.is_empty() {
            return Err(self.error(codes::UNKNOWN_OP, span, "an op needs a name", "empty name"));
        }
        Ok(Opcode::Opaque(self.module.names.intern(&name)))
    }

    pub(super) fn short_name(&mut self, parent: Option<Opcode>) -> Parsed<Opcode> {
        let text = self.current();
        if let Some(opcode) = Opcode::find(text) {
            return Ok(opcode);
        }
        if text == "module" {
            return Ok(Opcode::Builtin(BuiltinOp::Module));
        }
        if text == "role" && parent == Some(Opcode::Tg(crate::ops::TgOp::WarpSpecialize)) {
            return Ok(Opcode::Tg(crate::ops::TgOp::Role));
        }
        let span = self.span();
        Err(self.unknown_op(text, span))
    }

    fn unknown_op(&mut self, name: &str, span: Span) -> crate::diag::Reported {
        let dialect = name.split_once('.').map(|(dialect, _)| dialect);
        let known = dialect.is_some_and(|dialect| DIALECTS.contains(&dialect));
        let mut diagnostic = match dialect {
            Some(dialect) if known => {
                Diagnostic::error(codes::UNKNOWN_OP, format!("dialect `{dialect}` has no op `{name}`"))
                    .at(span, "unknown op")
            }
            Some(_) => Diagnostic::error(codes::UNKNOWN_OP, format!("`{name}` has no short form"))
                .at(span, "an op of a dialect that tidegate does not know")
                .help(format!("write it in the generic form: `\"{name}\"(...) : (...) -> (...)`")),
            None => Diagnostic::error(codes::EXPECTED_SOMETHING, format!("expected an op, found `{name}`"))
                .at(span, "expected an op"),
        };
        let quoted = self.lexer.text[(span.lo - self.lexer.base) as usize..].starts_with('"');
        let quote = if quoted { "\"" } else { "" };
        if dialect.is_none() && self.peek().is(b'=') {
            diagnostic = diagnostic.suggest(span, format!("%{name}"), "names of values start with `%`");
        } else if name == "role" {
            diagnostic = diagnostic.help("roles stand directly in `tg.warp_specialize { ... }`");
        } else {
            match similar_ops(name).as_slice() {
                [] => {}
                [only] => {
                    let text = format!("{quote}{only}{quote}");
                    diagnostic = diagnostic.suggest(span, text, format!("did you mean `{only}`?"));
                }
                several => {
                    diagnostic = diagnostic.help(format!("did you mean `{}`?", several.join("` or `")));
                }
            }
        }
        self.diags.emit_error(diagnostic)
    }
}

/// The ops that may have been meant by `name`: those spelt like it, else those of the dialect whose name has it as a
/// part (`tg.barrier_wait` for `tg.wait`), else those of that name in another dialect.
fn similar_ops(name: &str) -> SmallVec<[&'static str; 3]> {
    let defs = || Opcode::all().filter_map(Opcode::def);
    let (dialect, mnemonic) = name.split_once('.').unwrap_or(("", name));
    let known = DIALECTS.contains(&dialect);
    if known {
        let mnemonics = defs().filter(|def| def.dialect == dialect).map(|def| def.mnemonic());
        let close = all_nearest(mnemonic, mnemonics);
        let among = |def: &&OpDef| def.dialect == dialect && close.contains(&def.mnemonic());
        if !close.is_empty() && close.len() <= 3 {
            return defs().filter(among).map(|def| def.name).collect();
        }
    }
    let part = |def: &&OpDef| {
        let parts: SmallVec<[&str; 4]> = def.mnemonic().split('_').collect();
        mnemonic.len() > 2
            && (!known || def.dialect == dialect)
            && def.dialect == "tg"
            && parts.contains(&mnemonic)
    };
    let parts: SmallVec<[&str; 3]> = defs().filter(part).map(|def| def.name).take(4).collect();
    if !parts.is_empty() && parts.len() <= 3 {
        return parts;
    }
    nearest(name, defs().map(|def| def.name)).into_iter().collect()
}
