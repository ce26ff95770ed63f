//! The reference pages, made from the tables: ops, diagnostics, passes.

use std::fmt::Write;

use crate::ir::diag::codes;
use crate::ir::ops::{Effect, Infer, OpDef, Opcode, OperandArity, Traits};

/// All ops as Markdown: a chapter for each dialect.
pub fn ops() -> String {
    let mut out = String::from(
        "# Ops\n\nMade from the op tables by `cargo xtask gen`; do not edit. `tidegate explain OP` prints the same.\n",
    );
    let mut dialect = "";
    for def in Opcode::all().filter_map(Opcode::def) {
        if def.dialect != dialect {
            dialect = def.dialect;
            let _ = write!(out, "\n## {dialect}\n");
        }
        let _ = write!(out, "\n### {}", op(def));
    }
    out
}

/// All diagnostic codes as Markdown: a chapter for each family.
pub fn diagnostics() -> String {
    let mut out = String::from(
        "# Diagnostics\n\nMade from the table of codes by `cargo xtask gen`; do not edit. `tidegate explain CODE` prints the same.\n",
    );
    for (family, rows) in codes::families() {
        let _ = write!(out, "\n## {family}\n");
        for row in rows {
            let _ = write!(out, "\n### {}: {}\n\n{}\n", row.id, row.title, row.explanation.trim());
        }
    }
    out
}

/// All passes as Markdown, and the pipeline that `compile` runs.
pub fn passes() -> String {
    let mut out = String::from(
        "# Passes\n\nMade from the registry by `cargo xtask gen`; do not edit. `tidegate opt --list-passes` prints the same.\n\n",
    );
    let _ = writeln!(
        out,
        "`tidegate compile` runs `{}`, then the lowering. `tidegate opt --passes='...'` runs any list.\n",
        crate::passes::pass::default_pipeline("sm_90a")
    );
    for info in crate::passes::pass::Registry::standard().rows() {
        let _ = writeln!(out, "## {}\n\n{}.\n", info.name, info.doc);
        for option in info.options {
            let _ =
                writeln!(out, "- `{}` (`{}` when not given): {}", option.name, option.default, option.doc);
        }
        if !info.options.is_empty() {
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// One op as Markdown; the first line is its name.
pub fn op(def: &OpDef) -> String {
    let mut out = format!("{}\n\n", def.name);
    for line in def.doc.lines() {
        out.push_str(line.strip_prefix(' ').unwrap_or(line));
        out.push('\n');
    }
    out.push('\n');
    let arity = |arity| match arity {
        OperandArity::One => "",
        OperandArity::Optional => "optional, ",
        OperandArity::Many => "any number, ",
    };
    if !def.operands.is_empty() {
        out.push_str("Operands:\n\n");
        for operand in def.operands {
            let effects: Vec<&str> = operand.effects.iter().map(|&effect| effect_word(effect)).collect();
            let effects =
                if effects.is_empty() { String::new() } else { format!("; {}", effects.join(", ")) };
            let kind = operand.constraint.describe();
            let _ = writeln!(out, "- `{}`: {}{kind}{effects}", operand.name, arity(operand.arity));
        }
        out.push('\n');
    }
    if !def.attrs.is_empty() {
        out.push_str("Attributes:\n\n");
        for attr in def.attrs {
            let need = if attr.required { "" } else { "optional, " };
            let default = attr.default.map(|text| format!("; `{text}` when not given")).unwrap_or_default();
            let _ = writeln!(out, "- `{}`: {need}{}{default}", attr.name, attr.form.describe());
        }
        out.push('\n');
    }
    if !def.results.is_empty() {
        out.push_str("Results:\n\n");
        for result in def.results {
            let infer = match result.infer {
                Infer::Explicit => String::new(),
                Infer::IsIndex | Infer::IsI1 => String::new(),
                Infer::SameAs(group) => format!("; the type of `{}`", operand_name(def, group)),
                Infer::BoolOf(group) => format!("; in the shape of `{}`", operand_name(def, group)),
                Infer::ElemOf(group) => format!("; the element type of `{}`", operand_name(def, group)),
            };
            let kind = result.constraint.describe();
            let _ = writeln!(out, "- `{}`: {}{kind}{infer}", result.name, arity(result.arity));
        }
        out.push('\n');
    }
    if !def.regions.is_empty() {
        let names: Vec<String> = def.regions.iter().map(|region| format!("`{}`", region.name)).collect();
        let _ = writeln!(out, "Regions: {}\n", names.join(", "));
    }
    let traits: Vec<&str> = Traits::LIST.iter().filter(|row| def.has(row.0)).map(|row| row.1).collect();
    if !traits.is_empty() {
        let _ = writeln!(out, "Traits: {}", traits.join(", "));
    }
    out
}

fn operand_name(def: &OpDef, group: usize) -> &'static str {
    def.operands.get(group).map_or("?", |operand| operand.name)
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Write => "written",
        Effect::Arrive => "arrived on",
        Effect::Wait => "waited for",
        Effect::Init => "initialised",
        Effect::Inval => "invalidated",
    }
}
