//! The same function of all lanes: loops over arrays of 32 that the compiler turns into vector instructions.

use crate::exec::{Exec, Flow};
use crate::regs::{Lanes32, S32, S64};
use tidegate_machine::hardware::Stop;

type Done = Result<Flow, Stop>;

/// The bit of each lane.
pub const BIT: Lanes32 = {
    let mut bits = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// A mask of the lanes in which a function of two values holds.
#[inline(always)]
pub fn mask2<T: Copy>(a: &[T; 32], b: &[T; 32], f: impl Fn(T, T) -> bool) -> u32 {
    let mut out = 0;
    for ((&bit, &a), &b) in BIT.iter().zip(a).zip(b) {
        out |= if f(a, b) { bit } else { 0 };
    }
    out
}

/// A value that is taken or not by arithmetic: a choice between two of them would be a jump in each lane.
pub trait Pick: Copy + Default {
    /// `yes` or `no`.
    fn pick(take: bool, yes: Self, no: Self) -> Self;
}

macro_rules! pick {
    ($($t:ty)*) => {$(
        impl Pick for $t {
            #[inline(always)]
            fn pick(take: bool, yes: $t, no: $t) -> $t {
                no ^ (yes ^ no) & <$t>::from(take).wrapping_neg()
            }
        }
    )*};
}

pick!(u32 u64 u128);

/// One value or the other, by a mask.
#[inline(always)]
pub fn select<T: Pick>(mask: u32, yes: &[T; 32], no: &[T; 32]) -> [T; 32] {
    let mut out = [T::default(); 32];
    for (((out, &bit), &yes), &no) in out.iter_mut().zip(&BIT).zip(yes).zip(no) {
        *out = T::pick(mask & bit != 0, yes, no);
    }
    out
}

/// A function of one value.
#[inline(always)]
pub fn map1<A: Copy, O: Copy + Default>(a: &[A; 32], f: impl Fn(A) -> O) -> [O; 32] {
    let mut out = [O::default(); 32];
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
    out
}

/// A function of two values.
#[inline(always)]
pub fn map2<A: Copy, B: Copy, O: Copy + Default>(a: &[A; 32], b: &[B; 32], f: impl Fn(A, B) -> O) -> [O; 32] {
    let mut out = [O::default(); 32];
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
    out
}

/// A function of three values.
#[inline(always)]
pub fn map3<A: Copy, B: Copy, C: Copy, O: Copy + Default>(
    a: &[A; 32],
    b: &[B; 32],
    c: &[C; 32],
    f: impl Fn(A, B, C) -> O,
) -> [O; 32] {
    let mut out = [O::default(); 32];
    for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = f(a, b, c);
    }
    out
}

/// `d = f(a)` with 32-bit registers.
#[inline(always)]
pub fn un32(x: &mut Exec<'_>, [d, a]: [S32; 2], f: impl Fn(u32) -> u32) -> Done {
    let out = map1(x.regs.r32(a), f);
    x.regs.set32(d, x.lanes, &out);
    Ok(Flow::Next)
}

/// `d = f(a)` with 64-bit registers.
#[inline(always)]
pub fn un64(x: &mut Exec<'_>, [d, a]: [S64; 2], f: impl Fn(u64) -> u64) -> Done {
    let out = map1(x.regs.r64(a), f);
    x.regs.set64(d, x.lanes, &out);
    Ok(Flow::Next)
}

/// `d = f(a, b)` with 32-bit registers.
#[inline(always)]
pub fn bin32(x: &mut Exec<'_>, [d, a, b]: [S32; 3], f: impl Fn(u32, u32) -> u32) -> Done {
    let out = map2(x.regs.r32(a), x.regs.r32(b), f);
    x.regs.set32(d, x.lanes, &out);
    Ok(Flow::Next)
}

/// `d = f(a, b)` with 64-bit registers.
#[inline(always)]
pub fn bin64(x: &mut Exec<'_>, [d, a, b]: [S64; 3], f: impl Fn(u64, u64) -> u64) -> Done {
    let out = map2(x.regs.r64(a), x.regs.r64(b), f);
    x.regs.set64(d, x.lanes, &out);
    Ok(Flow::Next)
}

/// `d = f(a, b, c)` with 32-bit registers.
#[inline(always)]
pub fn tri32(x: &mut Exec<'_>, [d, a, b, c]: [S32; 4], f: impl Fn(u32, u32, u32) -> u32) -> Done {
    let out = map3(x.regs.r32(a), x.regs.r32(b), x.regs.r32(c), f);
    x.regs.set32(d, x.lanes, &out);
    Ok(Flow::Next)
}

/// `d = f(a, b, c)` with 64-bit registers.
#[inline(always)]
pub fn tri64(x: &mut Exec<'_>, [d, a, b, c]: [S64; 4], f: impl Fn(u64, u64, u64) -> u64) -> Done {
    let out = map3(x.regs.r64(a), x.regs.r64(b), x.regs.r64(c), f);
    x.regs.set64(d, x.lanes, &out);
    Ok(Flow::Next)
}
