//! PTX text of a module: canonical, and read back as the same module.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::ast::{
    Constant, Function, Initial, Instruction, Item, Linkage, Module, Name, Operand, OperandKind, ScalarType,
    Space, Variable,
};
use crate::parse::TYPES;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        write!(f, ".target ")?;
        separated(f, &self.target)?;
        writeln!(f, "\n.address_size {}", self.address_size)?;
        for (number, path) in &self.files {
            writeln!(f, ".file {number} \"{path}\"")?;
        }
        for pragma in &self.pragmas {
            writeln!(f, ".pragma \"{pragma}\";")?;
        }
        for variable in &self.variables {
            writeln!(f, "{variable};")?;
        }
        for function in &self.functions {
            write!(f, "\n{function}")?;
        }
        for (name, target) in &self.aliases {
            writeln!(f, "\n.alias {name}, {target};")?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.linkage, if self.entry { ".entry" } else { ".func" })?;
        attributes(f, &self.attributes)?;
        if !self.returns.is_empty() {
            f.write_str(" (")?;
            separated(f, &self.returns)?;
            f.write_char(')')?;
        }
        write!(f, " {}(", self.name)?;
        separated(f, &self.params)?;
        f.write_char(')')?;
        directives(f, &self.directives)?;
        for pragma in &self.pragmas {
            write!(f, "\n.pragma \"{pragma}\";")?;
        }
        match &self.body {
            None => writeln!(f, ";"),
            Some(body) => {
                writeln!(f, "\n{{")?;
                items(f, body, 1)?;
                writeln!(f, "}}")
            }
        }
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.linkage, self.space)?;
        attributes(f, &self.attributes)?;
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " {}", self.ty)?;
        if let Some(pointer) = self.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = pointer.space {
                write!(f, " {space}")?;
            }
            write!(f, " .align {}", pointer.align)?;
        }
        write!(f, " {}", self.name)?;
        if let Some(count) = self.count {
            write!(f, "<{count}>")?;
        }
        for dim in &self.dims {
            match dim {
                0 => f.write_str("[]")?,
                _ => write!(f, "[{dim}]")?,
            }
        }
        initial(f, self)
    }
}

/// ` = {{1, 2}, {3}}`: elements are in rising order, so the braces open and close as indices pass multiples.
fn initial(f: &mut Formatter<'_>, variable: &Variable) -> fmt::Result {
    let Some((first, rest)) = variable.init.split_first() else { return Ok(()) };
    let mut dims = variable.dims.clone();
    if variable.vector > 1 {
        dims.push(u64::from(variable.vector));
    }
    if dims.is_empty() {
        return write!(f, " = {}", first.1);
    }
    // Elements below one index of each dimension; the innermost has one.
    let mut strides = vec![1_u64; dims.len()];
    for at in (0..dims.len() - 1).rev() {
        let below = strides.get(at + 1).copied().unwrap_or(1);
        let size = dims.get(at + 1).copied().unwrap_or(1);
        if let Some(stride) = strides.get_mut(at) {
            *stride = below.saturating_mul(size).max(1);
        }
    }
    f.write_str(" = ")?;
    // The indices that come next; a dimension's braces are open when `depth` is above it.
    let mut next = vec![0_u64; dims.len()];
    let mut depth = 0;
    for (element, value) in std::iter::once(first).chain(rest) {
        let mut left = *element;
        let wanted: Vec<u64> = strides
            .iter()
            .map(|stride| {
                let index = left / stride;
                left %= stride;
                index
            })
            .collect();
        // Close what the element lies behind.
        while depth > 0 && (0..depth - 1).any(|level| next.get(level) != wanted.get(level)) {
            f.write_char('}')?;
            depth -= 1;
            if let Some(index) = depth.checked_sub(1).and_then(|level| next.get_mut(level)) {
                *index += 1;
            }
        }
        while depth < dims.len() {
            if let Some(level) = depth.checked_sub(1) {
                fill(f, &mut next, &wanted, level, true)?;
            }
            f.write_char('{')?;
            if let Some(index) = next.get_mut(depth) {
                *index = 0;
            }
            depth += 1;
        }
        let level = dims.len() - 1;
        fill(f, &mut next, &wanted, level, false)?;
        write!(f, "{value}")?;
        if let Some(index) = next.get_mut(level) {
            *index += 1;
        }
    }
    for _ in 0..depth {
        f.write_char('}')?;
    }
    Ok(())
}

/// Separators and empty elements up to the wanted index of a dimension.
fn fill(f: &mut Formatter<'_>, next: &mut [u64], wanted: &[u64], level: usize, braces: bool) -> fmt::Result {
    let (Some(next), Some(&wanted)) = (next.get_mut(level), wanted.get(level)) else { return Ok(()) };
    while *next < wanted {
        if *next > 0 {
            f.write_str(", ")?;
        }
        f.write_str(if braces { "{}" } else { "0" })?;
        *next += 1;
    }
    if *next > 0 {
        f.write_str(", ")?;
    }
    Ok(())
}

impl Display for Initial {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initial::Constant(constant) => constant.fmt(f),
            Initial::Address { name, offset, generic, mask } => {
                if let Some(mask) = mask {
                    write!(f, "{mask:#x}(")?;
                }
                match generic {
                    true => write!(f, "generic({name})")?,
                    false => name.fmt(f)?,
                }
                add(f, *offset)?;
                if mask.is_some() {
                    f.write_char(')')?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Constant::Int { bits, unsigned: true } => write!(f, "{bits}U"),
            // Its positive twin does not fit in `.s64`.
            Constant::Int { bits: 0x8000_0000_0000_0000, .. } => write!(f, "-{}-1", i64::MAX),
            Constant::Int { bits, .. } => write!(f, "{}", bits as i64),
            Constant::F32(bits) => write!(f, "0f{bits:08X}"),
            Constant::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.name)?;
        }
        for (at, part) in self.opcode.iter().enumerate() {
            write!(f, "{}{part}", if at > 0 { "." } else { "" })?;
        }
        if !self.operands.is_empty() {
            f.write_char(' ')?;
            separated(f, &self.operands)?;
        }
        f.write_char(';')
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Name(name) => f.write_str(name),
            OperandKind::NameOffset(name, offset) => {
                f.write_str(name)?;
                if *offset == 0 { f.write_str("+0") } else { add(f, *offset) }
            }
            OperandKind::Sink => f.write_char('_'),
            OperandKind::Constant(constant) => constant.fmt(f),
            OperandKind::Not(inner) => write!(f, "!{inner}"),
            OperandKind::Negative(inner) => write!(f, "-{inner}"),
            OperandKind::Index { array, register, index } => {
                write!(f, "{array}[")?;
                match register {
                    Some(register) => {
                        register.fmt(f)?;
                        add(f, *index)?;
                    }
                    None => Constant::Int { bits: *index as u64, unsigned: false }.fmt(f)?,
                }
                f.write_char(']')
            }
            OperandKind::Pair(first, second) => write!(f, "{first}|{second}"),
            OperandKind::Vector(parts) => {
                f.write_char('{')?;
                separated(f, parts)?;
                f.write_char('}')
            }
            OperandKind::Address { base, offset, rest, unified } => {
                f.write_char('[')?;
                match base {
                    Some(base) => {
                        base.fmt(f)?;
                        add(f, *offset)?;
                    }
                    None => Constant::Int { bits: *offset as u64, unsigned: false }.fmt(f)?,
                }
                for operand in rest {
                    write!(f, ", {operand}")?;
                }
                f.write_str(if *unified { "].unified" } else { "]" })
            }
            OperandKind::List(parts) => {
                f.write_char('(')?;
                separated(f, parts)?;
                f.write_char(')')
            }
        }
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Reg => ".reg",
            Space::Const => ".const",
            Space::Global => ".global",
            Space::Local => ".local",
            Space::Param => ".param",
            Space::Shared => ".shared",
        })
    }
}

impl Display for ScalarType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(TYPES.iter().find(|(_, ty)| ty == self).map_or(".b8", |(word, _)| word))
    }
}

impl Display for Linkage {
    /// With the blank behind it; nothing for [`Linkage::Internal`].
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linkage::Internal => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        })
    }
}

fn add(f: &mut Formatter<'_>, offset: i64) -> fmt::Result {
    match offset {
        0 => Ok(()),
        i64::MIN => write!(f, "+-{}-1", i64::MAX),
        _ => write!(f, "+{offset}"),
    }
}

fn separated<T: Display>(f: &mut Formatter<'_>, list: &[T]) -> fmt::Result {
    for (at, item) in list.iter().enumerate() {
        write!(f, "{}{item}", if at > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn attributes(f: &mut Formatter<'_>, list: &[(Name, Vec<u64>)]) -> fmt::Result {
    for (at, (name, numbers)) in list.iter().enumerate() {
        write!(f, "{}.{name}", if at > 0 { ", " } else { " .attribute(" })?;
        if !numbers.is_empty() {
            f.write_char('(')?;
            for (at, number) in numbers.iter().enumerate() {
                write!(f, "{}{number}", if at > 0 { ", " } else { "" })?;
            }
            f.write_char(')')?;
        }
    }
    if list.is_empty() { Ok(()) } else { f.write_char(')') }
}

fn directives(f: &mut Formatter<'_>, list: &[(Name, Vec<u64>)]) -> fmt::Result {
    for (name, numbers) in list {
        write!(f, "\n.{name} ")?;
        separated(f, numbers)?;
    }
    Ok(())
}

fn items(f: &mut Formatter<'_>, list: &[Item], depth: usize) -> fmt::Result {
    for item in list {
        if !matches!(item, Item::Label(_)) {
            for _ in 0..depth {
                f.write_char('\t')?;
            }
        }
        match item {
            Item::Label(name) => writeln!(f, "{name}:")?,
            Item::Instruction(instruction) => writeln!(f, "{instruction}")?,
            Item::Scope(inner) => {
                writeln!(f, "{{")?;
                items(f, inner, depth + 1)?;
                for _ in 0..depth {
                    f.write_char('\t')?;
                }
                writeln!(f, "}}")?;
            }
            Item::Variable(variable) => writeln!(f, "{variable};")?,
            Item::Loc(line) => writeln!(f, ".loc {} {} {}", line.file, line.line, line.column)?,
            Item::BranchTargets(name, targets) => named_list(f, name, ".branchtargets", targets)?,
            Item::CallTargets(name, targets) => named_list(f, name, ".calltargets", targets)?,
            Item::CallPrototype(name, returns, params, list) => {
                write!(f, "{name}: .callprototype (")?;
                separated(f, returns)?;
                f.write_str(") _ (")?;
                separated(f, params)?;
                f.write_char(')')?;
                directives(f, list)?;
                writeln!(f, ";")?;
            }
            Item::Pragma(text) => writeln!(f, ".pragma \"{text}\";")?,
        }
    }
    Ok(())
}

fn named_list(f: &mut Formatter<'_>, name: &Name, directive: &str, targets: &[Name]) -> fmt::Result {
    write!(f, "{name}: {directive} ")?;
    separated(f, targets)?;
    writeln!(f, ";")
}
