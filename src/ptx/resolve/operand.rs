//! Operands of instructions, resolved.

use super::function::Body;
use super::scope::{Meaning, Register};
use super::special::{self, special};
use super::{Global, memory};
use crate::ast::{Instruction, Name, Operand, OperandKind, ScalarType, Span};
use crate::error::{ParseError, did_you_mean, shorten};
use crate::program::{AddressBase, Arg, Reg, SymbolId};

/// What a name in an operand is.
enum Found {
    Reg(Reg, ScalarType),
    /// A vector register as a whole.
    Vector(Vec<Arg>),
    Special(String),
    Symbol(SymbolId),
    Other(Arg),
}

impl<'a> Body<'a, '_> {
    /// An operand; [`Arg::Sink`] in the place of one with a mistake, which was noted.
    pub(super) fn operand(&mut self, instruction: &'a Instruction, operand: &'a Operand) -> Arg {
        self.operand_inner(instruction, operand).unwrap_or(Arg::Sink)
    }

    fn operand_inner(&mut self, instruction: &'a Instruction, operand: &'a Operand) -> Option<Arg> {
        let span = operand.span;
        Some(match &operand.kind {
            OperandKind::Sink => Arg::Sink,
            OperandKind::Constant(constant) => Arg::Const(*constant),
            OperandKind::Name(name) => match self.name(name, span)? {
                Found::Reg(reg, ty) => Arg::Reg(reg, ty),
                Found::Vector(parts) => Arg::Vector(parts),
                Found::Special(name) => Arg::Special(name),
                Found::Symbol(id) => Arg::Symbol(id, 0),
                Found::Other(arg) => arg,
            },
            OperandKind::NameOffset(name, offset) => match self.name(name, span)? {
                Found::Symbol(id) => Arg::Symbol(id, *offset),
                _ => {
                    let message =
                        format!("`{}` is not a variable, so no offset can be added here", shorten(name));
                    let help = "compute the sum in a register: `add.s32 %r1, %r2, 4;`";
                    return self.refuse(span, message, help);
                }
            },
            OperandKind::Not(inner) => match self.operand_inner(instruction, inner)? {
                Arg::Reg(reg @ Reg::P(_), ty) => Arg::NotReg(reg, ty),
                _ => {
                    return self.refuse(
                        span,
                        "`!` stands before a predicate register",
                        "use `not` for numbers",
                    );
                }
            },
            OperandKind::Negative(_) => {
                let help = "compute it before: `neg.s32 %r1, %r2;`";
                return self.refuse(
                    span,
                    "operands with a sign (of video instructions) are not supported",
                    help,
                );
            }
            OperandKind::Index { array, register, index } => {
                return self.index(instruction, span, array, register.as_ref(), *index);
            }
            OperandKind::Pair(first, second) => {
                let first = self.operand_inner(instruction, first)?;
                let second = self.operand_inner(instruction, second)?;
                Arg::Pair(Box::new(first), Box::new(second))
            }
            OperandKind::Vector(parts) => Arg::Vector(self.list(instruction, parts)),
            OperandKind::List(parts) => Arg::List(self.list(instruction, parts)),
            OperandKind::Address { base, offset, rest, .. } => {
                let base = match base {
                    None => Some(AddressBase::Absolute),
                    Some(name) => self.base(name),
                };
                // The rest is looked at even when the base is wrong: for its own mistakes.
                let rest = self.list(instruction, rest);
                Arg::Address(base?, *offset, rest)
            }
        })
    }

    fn list(&mut self, instruction: &'a Instruction, parts: &'a [Operand]) -> Vec<Arg> {
        parts.iter().map(|part| self.operand(instruction, part)).collect()
    }

    fn refuse<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        self.note(ParseError::new(span, message).help(help));
        None
    }

    fn base(&mut self, name: &'a Name) -> Option<AddressBase> {
        let what = match self.name(&name.text, name.span)? {
            Found::Reg(Reg::P(_), _) => "a predicate",
            Found::Reg(reg, ty) => return Some(AddressBase::Reg(reg, ty)),
            Found::Symbol(id) => return Some(AddressBase::Symbol(id)),
            Found::Vector(_) => "a vector",
            Found::Special(_) => "a special register",
            Found::Other(Arg::Function(_)) => "a function",
            Found::Other(_) => "a label",
        };
        let message = format!("`{}` is {what}, not an address", shorten(&name.text));
        self.refuse(name.span, message, "an address is a register, a variable or a number")
    }

    /// `x[4]`: the address of an element for `mov` and `cvta`, the element for others (ISA 6.4.2).
    fn index(
        &mut self,
        instruction: &Instruction,
        span: Span,
        array: &'a Name,
        register: Option<&'a Name>,
        index: i64,
    ) -> Option<Arg> {
        let Found::Symbol(id) = self.name(&array.text, array.span)? else {
            let message = format!("`{}` is not an array", shorten(&array.text));
            return self.refuse(array.span, message, "only variables in memory have elements");
        };
        if register.is_some() {
            let message = format!("an index of `{}` in a register is not supported", shorten(&array.text));
            return self.refuse(
                span,
                message,
                "compute the address: `mad.wide.u32 %rd2, %r1, 4, %rd1;`, then `[%rd2]`",
            );
        }
        let ty = self.resolver.symbols.get(id.0 as usize).map_or(ScalarType::B8, |symbol| symbol.ty);
        let offset = index.wrapping_mul(memory::scalar_bytes(ty) as i64);
        let address = matches!(instruction.opcode.first().map(String::as_str), Some("mov" | "cvta"));
        Some(match address {
            true => Arg::Symbol(id, offset),
            false => Arg::Address(AddressBase::Symbol(id), offset, Vec::new()),
        })
    }

    /// What a name is: of the body, of the machine, of the module, in this order.
    fn name(&mut self, text: &'a str, span: Span) -> Option<Found> {
        match self.scopes.find(text) {
            Some((Meaning::Register(register), index)) => return Some(self.register(text, register, index)),
            Some((Meaning::Symbol(id), _)) => return Some(Found::Symbol(id)),
            Some((Meaning::Label(at), _)) => return Some(Found::Other(Arg::Label(at))),
            Some((Meaning::List(list), _)) => {
                return self.lists.get(list as usize).cloned().map(Found::Other);
            }
            None => {}
        }
        if let Some(name) = special(text) {
            return Some(Found::Special(name.to_owned()));
        }
        match self.resolver.global(text) {
            Some(Global::Symbol(id)) => return Some(Found::Symbol(id)),
            Some(Global::Function(id)) => return Some(Found::Other(Arg::Function(id))),
            None => {}
        }
        if let Some((base, component)) = text.split_once('.')
            && let Some((Meaning::Register(register), index)) = self.scopes.find(base)
        {
            return self.component(text, base, component, register, index, span);
        }
        self.undefined(text, span);
        None
    }

    fn register(&mut self, text: &str, register: Register, index: u32) -> Found {
        if register.vector == 1 {
            return Found::Reg(self.slot(register, index, 0, || text.to_owned()), register.ty);
        }
        let part = |component: u8| {
            let reg = self.slot(register, index, component, || component_name(text, component));
            Arg::Reg(reg, register.ty)
        };
        Found::Vector((0..register.vector).map(part).collect())
    }

    /// `v.x`
    fn component(
        &mut self,
        text: &str,
        base: &str,
        component: &str,
        register: Register,
        index: u32,
        span: Span,
    ) -> Option<Found> {
        if register.vector == 1 {
            let help = match component {
                "b0" | "b1" | "b2" | "b3" | "h0" | "h1" => {
                    "selectors of video instructions are not supported: take the part out with `bfe`"
                }
                _ => "declare it as a vector (`.reg .v2 .b32 v;`), or take the part out with `mov` or `bfe`",
            };
            return self.refuse(span, format!("`{}` is one register and has no parts", shorten(base)), help);
        }
        let number = match component {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => u8::MAX,
        };
        if number >= register.vector {
            let message = format!(
                "`{}` has {} components and no `.{}`",
                shorten(base),
                register.vector,
                shorten(component)
            );
            return self.refuse(span, message, "components are `.x`, `.y`, `.z`, `.w`");
        }
        let reg = self
            .slot(register, index, number, || component_name(text.split('.').next().unwrap_or(text), number));
        Some(Found::Reg(reg, register.ty))
    }

    /// Tells, once for each name of a function, that it is not declared.
    pub(super) fn undefined(&mut self, text: &'a str, span: Span) {
        if !self.told.insert(text) {
            return;
        }
        let error = ParseError::new(span, format!("`{}` is not declared", shorten(text)));
        if let Some((prefix, count)) = self.scopes.short_range(text) {
            let help = format!("`{}<{count}>` ends before it: raise the number", shorten(prefix));
            return self.note(error.help(help));
        }
        // Of a range the register with the same number is the candidate.
        let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let number = text.get(digits..).unwrap_or_default();
        let ranges: Vec<String> = self
            .scopes
            .ranges()
            .take(1000)
            .filter(|(_, count)| number.parse::<u32>().is_ok_and(|number| number < *count))
            .map(|(prefix, _)| format!("{prefix}{number}"))
            .chain(special::names())
            .collect();
        let candidates = self
            .scopes
            .names()
            .chain(ranges.iter().map(String::as_str))
            .chain(self.resolver.globals.keys().copied());
        let near = did_you_mean(text, candidates);
        self.note(match near {
            Some(help) => error.help(help),
            None => error.help("names are declared before they are used, and only seen within their `{ }`"),
        });
    }
}

fn component_name(base: &str, component: u8) -> String {
    match component {
        0..=3 => format!("{base}.{}", ["x", "y", "z", "w"].get(usize::from(component)).unwrap_or(&"x")),
        _ => format!("{base}.{component}"),
    }
}
