//! The kernel that is being built: module, open regions, errors.
//!
//! Ops go to the end of the innermost open region. A value may be used while the region that it was made in is open.
//! Constants of scalar types are made once, at the start of the kernel's body.

use indexmap::IndexMap;

use super::registry::{self, KernelId, Raw};
use crate::frontend::DType;
use crate::frontend::error::{BuildError, BuildErrorKind, Site};
use crate::ir::builder::{OpBuilder, caller_loc};
use crate::ir::ops::{AttrForm, Opcode, TgOp, Traits};
use crate::ir::types::TypeKind;
use crate::ir::{Attr, Block, InsertionPoint, Module, Op, Type, Value};

/// What a region belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Kernel,
    /// Between the roles of `warp_specialize`.
    Roles,
    Role,
    Loop,
    Branch,
}

impl Region {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Roles => "`warp_specialize`",
            Self::Role => "role",
            Self::Loop => "loop",
            Self::Branch => "branch",
        }
    }
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) block: Block,
    pub(super) region: Region,
    /// The thread axis that a role declares.
    pub(super) axis: Option<String>,
}

/// An axis of the grid, the cluster or the block's threads.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) extent: i64,
    pub(super) site: Site,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
struct ConstantKey {
    dtype: DType,
    bits: u64,
}

/// Everything about one kernel.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) id: KernelId,
    pub(super) name: String,
    pub(super) module: Module,
    pub(super) kernel: Op,
    pub(super) errors: Vec<BuildError>,
    pub(super) axes: Vec<Axis>,
    pub(super) params: Vec<(String, &'static str, Site)>,
    pub(super) roles: Option<Site>,
    scopes: Vec<Scope>,
    /// Blocks whose region is closed, for messages.
    closed: Vec<(Block, Region)>,
    first_thread_op: Option<(Opcode, Site)>,
    constants: IndexMap<ConstantKey, Value>,
    last_constant: Option<Op>,
}

impl Core {
    pub(super) fn new(id: KernelId, name: &str, site: Site) -> Self {
        let mut module = Module::new();
        let top = module.body();
        let loc = caller_loc(&mut module, site.location());
        let symbol = module.attrs.str(name);
        let mut builder = OpBuilder::at_end(&mut module, top);
        builder.set_loc(Some(loc));
        let kernel = builder.tg_kernel(symbol, None, None, None, None, None, None, None);
        let block = builder.body(kernel, 0, &[]);
        Self {
            id,
            name: name.to_owned(),
            module,
            kernel,
            errors: Vec::new(),
            axes: Vec::new(),
            params: Vec::new(),
            roles: None,
            scopes: vec![Scope { block, region: Region::Kernel, axis: None }],
            closed: Vec::new(),
            first_thread_op: None,
            constants: IndexMap::new(),
            last_constant: None,
        }
    }

    // ---- errors ----

    pub(super) fn error(&mut self, kind: impl Into<BuildErrorKind>, site: Site) {
        self.errors.push(BuildError::new(kind, site));
    }

    // ---- regions ----

    pub(super) fn scope(&self) -> &Scope {
        // The kernel's own scope is never closed.
        &self.scopes[self.scopes.len() - 1]
    }
    pub(super) fn body(&self) -> Block {
        self.scopes[0].block
    }
    pub(super) fn region(&self) -> Region {
        self.scope().region
    }
    pub(super) fn role_axes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().filter_map(|scope| scope.axis.as_deref())
    }
    pub(super) fn enter(&mut self, block: Block, region: Region, axis: Option<String>) {
        self.scopes.push(Scope { block, region, axis });
    }
    pub(super) fn leave(&mut self) {
        if self.scopes.len() > 1
            && let Some(scope) = self.scopes.pop()
        {
            self.closed.push((scope.block, scope.region));
        }
    }

    // ---- ops ----

    /// Builds at the end of the innermost open region, with the Rust line as location.
    pub(super) fn at<R>(&mut self, site: Site, build: impl FnOnce(&mut OpBuilder<'_>) -> R) -> R {
        let block = self.scope().block;
        let loc = caller_loc(&mut self.module, site.location());
        let mut builder = OpBuilder::at_end(&mut self.module, block);
        builder.set_loc(Some(loc));
        build(&mut builder)
    }
    /// The same for an op that is checked to be allowed here.
    pub(super) fn op(
        &mut self,
        site: Site,
        opcode: impl Into<Opcode>,
        build: impl FnOnce(&mut OpBuilder<'_>) -> Op,
    ) -> Option<Op> {
        let opcode = opcode.into();
        self.allow(opcode, site).then(|| self.at(site, build))
    }
    /// Like [`Core::op`], for the op's first result.
    pub(super) fn result(
        &mut self,
        site: Site,
        opcode: impl Into<Opcode>,
        build: impl FnOnce(&mut OpBuilder<'_>) -> Op,
    ) -> Raw {
        let op = self.op(site, opcode, build);
        let value = op.and_then(|op| self.module.results(op).next());
        Raw::new(self.id, value)
    }
    fn allow(&mut self, opcode: Opcode, site: Site) -> bool {
        if self.region() == Region::Roles {
            let op = opcode.name(&self.module.names).to_owned();
            self.error(BuildErrorKind::OutsideRole { op }, site);
            return false;
        }
        let beside_roles = !self.scopes.iter().any(|scope| scope.region == Region::Role);
        if opcode.has(Traits::THREAD_LEVEL) && beside_roles {
            match self.roles {
                Some(roles) => {
                    let op = opcode.name(&self.module.names).to_owned();
                    self.error(BuildErrorKind::ThreadOpOutsideRole { op, roles }, site);
                    return false;
                }
                None => self.first_thread_op = self.first_thread_op.or(Some((opcode, site))),
            }
        }
        true
    }
    /// Notes that the kernel has roles.
    pub(super) fn begin_roles(&mut self, site: Site) {
        self.roles = Some(site);
        // What initialises barriers by hand is one thread's work before the roles, and is left to the verifier.
        let by_hand = [Opcode::Tg(TgOp::InitBarrier), Opcode::Tg(TgOp::InvalBarrier)];
        if let Some((opcode, at)) = self.first_thread_op
            && !by_hand.contains(&opcode)
        {
            let op = opcode.name(&self.module.names).to_owned();
            self.error(BuildErrorKind::ThreadOpOutsideRole { op, roles: site }, at);
        }
    }

    // ---- handles ----

    /// The value behind a handle, or `None` when it is poison or may not be used here; the latter is noted.
    pub(super) fn value(&mut self, raw: Raw, site: Site) -> Option<Value> {
        if raw.kernel != self.id {
            // Said also of poison: whatever its own kernel knows, this one would lack an op.
            let described = registry::with(raw.kernel, |other| raw.value.map(|value| other.describe(value)));
            let what = described.flatten().unwrap_or_else(|| "a handle".to_owned());
            let (owner, user) = (registry::name(raw.kernel), self.name.clone());
            self.error(BuildErrorKind::ForeignHandle { what, owner, user }, site);
            return None;
        }
        if raw.value.is_none() && self.errors.is_empty() {
            self.error(BuildErrorKind::Poison, site);
        }
        let value = raw.value?;
        let block = self.module.defining_block(value)?;
        if self.scopes.iter().any(|scope| scope.block == block) {
            return Some(value);
        }
        let region =
            self.closed.iter().rfind(|entry| entry.0 == block).map_or("region", |entry| entry.1.name());
        let what = self.describe(value);
        self.error(BuildErrorKind::OutOfScope { what, region }, site);
        None
    }
    /// A value in words: its name, else what it is.
    pub(super) fn describe(&self, value: Value) -> String {
        let ty = self.module.ty(value);
        match self.module.value_name(value) {
            Some(name) => format!("`%{name}`"),
            None => match self.module.types.kind(ty) {
                TypeKind::BarrierRef(barrier) => barrier.describe(),
                TypeKind::Ref(reference) => {
                    format!("a reference to an array in {}", reference.space.long_name())
                }
                _ => format!("a value of type `{}`", self.module.types.display(ty)),
            },
        }
    }
    pub(super) fn raw(&self, value: Value) -> Raw {
        Raw::new(self.id, Some(value))
    }
    pub(super) fn poison(&self) -> Raw {
        Raw::poison(self.id)
    }

    // ---- types and constants ----

    /// The shape and element type of a number or array value.
    pub(super) fn array_of(&self, value: Value) -> Option<(Vec<i64>, DType)> {
        let (shape, elem) = self.module.types.as_value_array(self.module.ty(value))?;
        Some((shape.to_vec(), DType::of(&self.module.types, elem)?))
    }
    /// The type of an array value, or of a number for rank 0.
    pub(super) fn value_type(&mut self, shape: &[i64], dtype: DType, site: Site) -> Option<Type> {
        let ty = dtype
            .intern(&mut self.module.types)
            .and_then(|elem| if shape.is_empty() { Ok(elem) } else { self.module.types.vector(shape, elem) });
        match ty {
            Ok(ty) => Some(ty),
            Err(error) => {
                self.error(crate::frontend::SpecErrorKind::Type(error), site);
                None
            }
        }
    }
    /// A constant number: made once, before everything else in the kernel.
    pub(super) fn constant(&mut self, value: Number, dtype: DType, site: Site) -> Option<Value> {
        let bits = value.bits_for(dtype);
        let Some(bits) = bits else {
            self.error(BuildErrorKind::ConstantRange { value: value.to_string(), dtype }, site);
            return None;
        };
        let key = ConstantKey { dtype, bits };
        if let Some(&known) = self.constants.get(&key) {
            return Some(known);
        }
        let ty = self.value_type(&[], dtype, site)?;
        let point = match self.last_constant {
            Some(op) => InsertionPoint::After(op),
            None => InsertionPoint::Start(self.body()),
        };
        let loc = caller_loc(&mut self.module, site.location());
        let mut builder = OpBuilder::new(&mut self.module, point);
        builder.set_loc(Some(loc));
        let made = value.build(&mut builder, ty);
        self.last_constant = self.module.defining_op(made);
        if let (Number::Int(number), DType::Index) = (value, dtype) {
            let sign = if number < 0 { "m" } else { "" };
            self.module.set_value_name(made, &format!("c{sign}{}", number.unsigned_abs()));
        }
        self.constants.insert(key, made);
        Some(made)
    }
    /// An array of equal numbers, made where it is used.
    pub(super) fn splat(&mut self, value: Number, shape: &[i64], dtype: DType, site: Site) -> Option<Value> {
        if shape.is_empty() {
            return self.constant(value, dtype, site);
        }
        if value.bits_for(dtype).is_none() {
            self.error(BuildErrorKind::ConstantRange { value: value.to_string(), dtype }, site);
            return None;
        }
        let ty = self.value_type(shape, dtype, site)?;
        Some(self.at(site, |builder| value.build(builder, ty)))
    }
}

/// The word `word` of an op's enumeration `attr`, as the number that the generic form has.
pub(super) fn word_attr(
    builder: &mut OpBuilder<'_>,
    opcode: impl Into<Opcode>,
    attr: &str,
    word: &str,
) -> Attr {
    let form = opcode.into().def().and_then(|def| def.attr(attr)).map(|attr| attr.form);
    let number = match form {
        Some(AttrForm::I64Enum(words)) => words.iter().position(|&known| known == word),
        _ => None,
    };
    builder.module.i64_attr(number.and_then(|number| i64::try_from(number).ok()).unwrap_or(0))
}

/// A literal.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
}

impl Number {
    /// What tells constants of `dtype` apart; `None` when the number is none of that type's values.
    fn bits_for(self, dtype: DType) -> Option<u64> {
        match (self, dtype) {
            (Self::Int(value), DType::Index | DType::Int(64..)) => Some(value.cast_unsigned()),
            (Self::Int(value), DType::Int(width)) => {
                // Signed or unsigned, as the type leaves it open.
                let low = -(1i64 << (width.clamp(1, 63) - 1));
                (low..1i64 << width.clamp(1, 62)).contains(&value).then(|| value.cast_unsigned())
            }
            (Self::Int(value), DType::Float(_)) => {
                #[expect(clippy::cast_precision_loss, reason = "rounded as any literal")]
                let value = value as f64;
                Some(value.to_bits())
            }
            (Self::Float(value), DType::Float(_)) => Some(value.to_bits()),
            (Self::Float(_), DType::Index | DType::Int(_)) => None,
        }
    }
    fn build(self, builder: &mut OpBuilder<'_>, ty: Type) -> Value {
        let elem = builder.module.types.elem_of(ty);
        let float = matches!(builder.module.types.kind(elem), TypeKind::Float(_));
        match self {
            #[expect(clippy::cast_precision_loss, reason = "rounded as any literal")]
            Self::Int(value) if float => builder.float(value as f64, ty),
            Self::Int(value) => builder.int(value, ty),
            Self::Float(value) => builder.float(value, ty),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
        }
    }
}
