//! The instructions, by families: each file decodes and executes its own.

pub mod asynchronous;
pub mod atomic;
pub mod barrier;
pub mod bits;
pub mod call;
pub mod cluster_launch;
pub mod compare;
pub mod control;
pub mod copy;
pub mod cvt;
mod external;
pub mod fence;
pub mod float;
pub mod half;
pub mod integer;
pub mod lanewise;
pub mod logic;
pub mod map;
pub mod matrix_moves;
pub mod mbarrier;
pub mod memory;
pub mod mma;
pub mod moves;
pub mod operand;
mod printf;
mod spot;
pub mod tcgen05;
pub mod tensor;
pub mod tensormap;
mod tile;
pub mod types;
pub mod warp;
pub mod wgmma;

use crate::decode::{Decoder, unknown_opcode};
use crate::error::ParseError;
use crate::exec::{Exec, Flow};
use tidegate_machine::hardware::Stop;

// Families that share opcodes (`add`, `max`, ...) are told apart by a guard, a function of the instruction's modifiers:
// the first family whose guard holds decodes it. One without a guard comes last and takes what is left.
macro_rules! families {
    ($($module:ident :: $name:ident [$($opcode:literal)*] $(if $guard:path)?,)*) => {
        /// An instruction, decoded.
        #[derive(Clone, Debug)]
        pub enum Op { $(#[doc = concat!("See [`", stringify!($module), "`].")] $name($module::Op),)* }

        /// Every opcode that some family knows (its first part).
        pub const OPCODES: &[&str] = &[$($($opcode,)*)*];

        /// Decodes an instruction.
        ///
        /// # Errors
        ///
        /// No such instruction, a modifier or an operand that it does not take.
        pub(crate) fn decode(d: &mut Decoder<'_>) -> Result<Op, ParseError> {
            let opcode = d.opcode().first().map_or("", String::as_str);
            if opcode == "mov"
                && let Some(op) = memory::frame_address(d)?
            {
                return Ok(Op::Memory(op));
            }
            match d.opcode().first().map_or("", String::as_str) {
                $($($opcode)|* $(if $guard(d.opcode()))? => $module::decode(d).map(Op::$name),)*
                _ => Err(unknown_opcode(d.instr())),
            }
        }

        impl Op {
            /// Executes it.
            #[inline]
            pub(crate) fn exec(&self, x: &mut Exec<'_>) -> Result<Flow, Stop> {
                match self { $(Op::$name(op) => op.exec(x),)* }
            }
        }
    };
}

impl Op {
    /// Whether an instruction may touch registers that an operation of a kind has in flight: the next one of its
    /// kind, which happens after it.
    pub(crate) fn continues(&self, what: &str) -> bool {
        match self {
            Op::Wgmma(op) => op.continues(what),
            // A copy of a register that is being loaded: ptxas renames it (JAX's kernels have such).
            Op::Move(_) => what == tcgen05::LOAD,
            _ => false,
        }
    }
}

families! {
    mbarrier::Mbarrier ["mbarrier" "cp"] if mbarrier::is_mine,
    tensor::Tensor ["cp"] if tensor::is_mine,
    copy::Copy ["cp" "st" "red"] if copy::is_mine,
    tensormap::TensorMap ["tensormap"],
    cluster_launch::ClusterLaunch ["clusterlaunchcontrol"],
    barrier::Barrier ["bar" "barrier"] if barrier::not_of_warp,
    fence::Fence ["fence" "membar" "mapa" "getctarank"],
    integer::Integer [
        "add" "sub" "mul" "mad" "div" "abs" "neg" "min" "max" "mul24" "mad24" "addc" "subc" "madc" "rem" "sad"
    ] if integer::takes,
    bits::Bits [
        "dp4a" "dp2a" "popc" "clz" "bfind" "fns" "brev" "bfe" "bfi" "szext" "bmsk"
    ],
    logic::Logic ["and" "or" "xor" "not" "cnot" "lop3" "shl" "shr" "shf" "prmt"],
    moves::Move ["mov"],
    compare::Compare ["setp" "set" "selp" "slct"],
    tcgen05::Tcgen05 ["tcgen05"],
    cvt::Convert ["cvt"],
    control::Control ["bra" "brx" "call" "ret" "exit" "trap" "brkpt" "nanosleep" "setmaxnreg" "griddepcontrol" "pmevent" "alloca"
        "stacksave" "stackrestore"],
    half::Half ["add" "sub" "mul" "fma" "neg" "abs" "min" "max" "tanh" "ex2"] if types::names_half,
    float::Float ["add" "sub" "mul" "fma" "mad" "div" "abs" "neg" "min" "max" "rcp" "sqrt" "rsqrt" "sin" "cos" "lg2" "ex2"
        "tanh" "testp" "copysign"] if types::names_float,
    wgmma::Wgmma ["wgmma"],
    memory::Memory ["ld" "ldu" "st" "cvta" "isspacep" "prefetch" "prefetchu" "applypriority" "discard" "createpolicy"],
    mma::Mma ["mma" "wmma"],
    matrix_moves::MatrixMove ["ldmatrix" "stmatrix" "movmatrix"],
    atomic::Atomic ["atom" "red" "multimem"] if atomic::takes,
    warp::Warp ["shfl" "vote" "match" "activemask" "redux" "elect" "bar"] if warp::takes,
}
