//! Variables in memory: sizes, alignment (ISA 5.4.5), places, initial bytes.

use half::{bf16, f16};

use super::{Global, Resolver};
use crate::ast::{Constant, Initial, Linkage, ScalarType, Space, Variable};
use crate::error::{ParseError, shorten};
use crate::program::{Relocation, RelocationTarget, Symbol, SymbolId};

/// No variable, and no set of variables that lie together, is larger: bytes.
const MAX_BYTES: u64 = 1 << 48;

/// Bytes of initial values in a module, zeros between them included.
const MAX_INIT: u64 = 1 << 28;

/// Bytes of a scalar; predicates have none.
pub(super) fn scalar_bytes(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::Pred => 0,
        ScalarType::B8 | ScalarType::U8 | ScalarType::S8 => 1,
        ScalarType::B16 | ScalarType::U16 | ScalarType::S16 | ScalarType::F16 | ScalarType::Bf16 => 2,
        ScalarType::B32
        | ScalarType::U32
        | ScalarType::S32
        | ScalarType::F32
        | ScalarType::F16x2
        | ScalarType::Bf16x2 => 4,
        ScalarType::B64 | ScalarType::U64 | ScalarType::S64 | ScalarType::F64 | ScalarType::Opaque => 8,
        ScalarType::B128 => 16,
    }
}

/// Gives the next place in a block of variables: aligned, behind what is there.
fn place(block: &mut u64, size: u64, align: u64) -> Option<u64> {
    let offset = block.checked_next_multiple_of(align.max(1))?;
    *block = offset.checked_add(size).filter(|&end| end <= MAX_BYTES)?;
    Some(offset)
}

impl Resolver<'_> {
    /// Makes a symbol of a variable. `block`: what it lies in, for parameters and frames; static shared variables
    /// lie in the module's. None: it cannot be; that was noted.
    pub(super) fn memory(
        &mut self,
        variable: &Variable,
        name: String,
        block: Option<&mut u64>,
    ) -> Option<SymbolId> {
        let external = variable.linkage == Linkage::Extern;
        let element = scalar_bytes(variable.ty) * u64::from(variable.vector);
        let refused = |message: String, help: &str| Some((message, help.to_owned()));
        let size = variable.dims.iter().try_fold(element, |size, &dim| size.checked_mul(dim));
        let unsized_array = variable.dims.contains(&0);
        let problem = if variable.ty == ScalarType::Pred {
            refused(
                format!("`{}` is a predicate in memory", shorten(&name)),
                "predicates are registers; store a number",
            )
        } else if unsized_array && !external && variable.space != Space::Param {
            refused(
                format!("the array `{}` has no size", shorten(&name)),
                "give the size, initial values, or `.extern` for dynamic shared memory",
            )
        } else if size.is_none_or(|size| size > MAX_BYTES) {
            refused(
                format!("`{}` is larger than an address space", shorten(&name)),
                "make its dimensions smaller",
            )
        } else {
            None
        };
        if let Some((message, help)) = problem {
            self.note(ParseError::new(variable.span, message).help(help));
            return None;
        }
        let size = size.unwrap_or(0);
        let align = variable.align.map_or(element.max(1), u64::from);
        let offset = match block {
            Some(block) => place(block, size, align),
            None if variable.space == Space::Shared && !external => {
                place(&mut self.shared_bytes, size, align)
            }
            None => Some(0),
        };
        let Some(offset) = offset else {
            let message = format!("with `{}` the variables are larger than an address space", shorten(&name));
            self.note(ParseError::new(variable.span, message));
            return None;
        };
        let id = SymbolId(self.symbols.len() as u32);
        self.symbols.push(Symbol {
            name,
            space: variable.space,
            ty: variable.ty,
            size,
            align,
            external,
            init: Vec::new(),
            relocations: Vec::new(),
            offset,
            span: variable.span,
        });
        Some(id)
    }

    /// Fills in a symbol's initial bytes. `find` resolves the names whose addresses are taken.
    pub(super) fn initialise(
        &mut self,
        id: SymbolId,
        variable: &Variable,
        find: &dyn Fn(&Self, &str) -> Option<Global>,
    ) {
        let width = scalar_bytes(variable.ty);
        let Some((last, _)) = variable.init.last() else { return };
        let bytes = last.checked_add(1).and_then(|count| count.checked_mul(width));
        let total =
            bytes.and_then(|bytes| self.init_bytes.checked_add(bytes)).filter(|&total| total <= MAX_INIT);
        let (Some(bytes), Some(total)) = (bytes, total) else {
            let message = format!("the initial values of `{}` are too many", shorten(&variable.name.text));
            let help =
                format!("a module can have {MAX_INIT} bytes of them; zeros at the end need not be written");
            self.note(ParseError::new(variable.span, message).help(help));
            return;
        };
        self.init_bytes = total;
        let mut init = vec![0_u8; bytes as usize];
        let mut relocations = Vec::new();
        for (index, value) in &variable.init {
            if self.full() {
                return;
            }
            let at = index * width;
            match value {
                Initial::Constant(constant) => match constant_bytes(variable.ty, *constant) {
                    Some(bytes) => {
                        for (to, from) in
                            init.iter_mut().skip(at as usize).zip(bytes.iter().take(width as usize))
                        {
                            *to = *from;
                        }
                    }
                    None => return self.initial_mismatch(variable, *constant),
                },
                Initial::Address { name, offset, generic, mask } => {
                    let address = u64::from(self.module.address_size / 8);
                    let wanted = if mask.is_some() { 1 } else { address };
                    if width != wanted {
                        let message = format!(
                            "an address has {wanted} bytes here, an element of `{}` {width}",
                            variable.ty
                        );
                        let help = "use `.u64` for addresses, and `.u8` for their bytes (`0xff00(x)`)";
                        return self.note(ParseError::new(name.span, message).help(help));
                    }
                    let target = match find(self, &name.text) {
                        Some(Global::Symbol(id)) => RelocationTarget::Symbol(id),
                        Some(Global::Function(id)) => RelocationTarget::Function(id),
                        None => {
                            self.undefined_global(name, "variable or function");
                            continue;
                        }
                    };
                    let byte_shift = mask.map(u64::trailing_zeros);
                    relocations.push(Relocation {
                        at,
                        target,
                        addend: *offset,
                        generic: *generic,
                        byte_shift,
                    });
                }
            }
        }
        if let Some(symbol) = self.symbols.get_mut(id.0 as usize) {
            symbol.init = init;
            symbol.relocations = relocations;
        }
    }

    fn initial_mismatch(&mut self, variable: &Variable, constant: Constant) {
        let (found, help) = match constant {
            Constant::Int { .. } => ("an integer", "write it with a point (`1.0`) or as bits (`0f3F800000`)"),
            Constant::F32(_) => ("an f32", "declare the variable `.f32` or `.b32`"),
            Constant::F64(_) => {
                ("a number with a point", "declare the variable `.f32` or `.f64`, or write an integer")
            }
        };
        let message = format!(
            "`{}` is `{}`, and its initial value is {found}",
            shorten(&variable.name.text),
            variable.ty
        );
        self.note(ParseError::new(variable.span, message).help(help));
    }
}

/// The bytes of an initial value, little end first; integers keep their low bits, decimals are rounded to nearest.
fn constant_bytes(ty: ScalarType, constant: Constant) -> Option<[u8; 16]> {
    let float = matches!(ty, ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64);
    let bits = match constant {
        Constant::Int { bits, unsigned } if !float => {
            if unsigned {
                u128::from(bits)
            } else {
                i128::from(bits as i64) as u128
            }
        }
        Constant::F32(bits) if matches!(ty, ScalarType::F32 | ScalarType::B32) => u128::from(bits),
        Constant::F64(bits) => {
            let value = f64::from_bits(bits);
            match ty {
                ScalarType::F64 | ScalarType::B64 => u128::from(bits),
                ScalarType::F32 | ScalarType::B32 => u128::from((value as f32).to_bits()),
                ScalarType::F16 => u128::from(f16::from_f64(value).to_bits()),
                ScalarType::Bf16 => u128::from(bf16::from_f64(value).to_bits()),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(bits.to_le_bytes())
}
