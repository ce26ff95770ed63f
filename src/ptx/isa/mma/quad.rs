//! `mma.sync.m8n8k4` of f16 (ISA 9.7.14.5.1): each quad pair of lanes, 4p to 4p + 3 and 16 + 4p to 16 + 4p + 3, has a
//! product of 8 by 8 by 4 of its own.

use super::{Element, Sum, sums_from, sums_to};
use crate::exec::Exec;
use crate::regs::{Regs, S32};
use tidegate_machine::matrix::fragments::{m8n8k4_a, m8n8k4_b, m8n8k4_c, quad_pair};
use tidegate_machine::num::dot;

/// The instruction.
#[derive(Debug)]
pub struct Quads {
    pub(super) a_row: bool,
    pub(super) b_row: bool,
    pub(super) c_type: Sum,
    pub(super) d_type: Sum,
    pub(super) d: Vec<S32>,
    pub(super) a: Vec<S32>,
    pub(super) b: Vec<S32>,
    pub(super) c: Vec<S32>,
}

const SHAPE: dot::Shape = dot::Shape { m: 8, n: 8, k: 4 };

/// Two halves of a register, as bytes.
fn half(regs: &Regs, slots: &[S32], lane: usize, element: usize) -> [u8; 2] {
    let value = slots.get(element / 2).map_or(0, |s| regs.r32(*s)[lane]);
    ((value >> (16 * (element & 1))) as u16).to_le_bytes()
}

impl Quads {
    pub(super) fn exec(&self, x: &mut Exec<'_>) {
        let (mut a, mut b, mut d) = ([[0f32; 32]; 4], [[0f32; 32]; 4], [[0f32; 64]; 4]);
        for lane in 0..32u32 {
            let pair = quad_pair(lane).0 as usize;
            for e in 0..4u32 {
                let (row, k) = m8n8k4_a(self.a_row, lane, e);
                let to = &mut a[pair][(row * 4 + k) as usize..][..1];
                Element::F16.floats(&half(x.regs, &self.a, lane as usize, e as usize), to);
                let (k, column) = m8n8k4_b(self.b_row, lane, e);
                let to = &mut b[pair][(k * 8 + column) as usize..][..1];
                Element::F16.floats(&half(x.regs, &self.b, lane as usize, e as usize), to);
            }
            for e in 0..8u32 {
                let (row, column) = m8n8k4_c(self.c_type.bits() as u32, lane, e);
                let to = &mut d[pair][(row * 8 + column) as usize..][..1];
                if self.c_type == Sum::F16 {
                    sums_from(Sum::F16, &half(x.regs, &self.c, lane as usize, e as usize), to);
                } else {
                    to[0] =
                        self.c.get(e as usize).map_or(0.0, |s| f32::from_bits(x.regs.r32(*s)[lane as usize]));
                }
            }
        }
        for pair in 0..4 {
            let done = dot::mma_f32(SHAPE, &a[pair], &b[pair], &mut d[pair]);
            debug_assert!(done.is_ok());
        }
        for lane in 0..32u32 {
            let pair = quad_pair(lane).0 as usize;
            let mut bytes = [0; 32];
            let width = self.d_type.bits() / 8;
            for e in 0..8u32 {
                let (row, column) = m8n8k4_c(self.d_type.bits() as u32, lane, e);
                let mut value = [d[pair][(row * 8 + column) as usize]];
                sums_to(self.d_type, &mut value, &mut bytes[e as usize * width..][..width]);
            }
            for (slot, word) in self.d.iter().zip(bytes.as_chunks().0) {
                x.regs.r32_mut(*slot)[lane as usize] = u32::from_le_bytes(*word);
            }
        }
    }
}
