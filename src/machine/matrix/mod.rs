//! Where the elements of matrices lie: in shared memory behind descriptors, in registers, in tensor memory.
//!
//! - [`SmemMatrix`] and [`Operand`]: shared-memory matrix descriptors of wgmma and tcgen05.
//! - [`fragments`]: registers of wgmma and mma.sync; [`ldmatrix`]: ldmatrix and stmatrix.
//! - [`tmem`]: tcgen05.ld and tcgen05.st, and the layouts of the accumulator in tensor memory.
//! - [`InstructionDescriptor`]: the instruction descriptor of tcgen05.mma.
//!
//! Everything here is geometry: no memory, no state, no arithmetic on elements.

mod descriptor;
pub mod fragments;
mod instruction;
pub mod ldmatrix;
mod operand;
pub mod tmem;

pub use descriptor::{DescriptorError, SmemMatrix};
pub use instruction::{BlockScale, Format, InstructionDescriptor, InstructionError, Kind, ScaleFormat};
pub use operand::{Chunk, Major, Operand};
