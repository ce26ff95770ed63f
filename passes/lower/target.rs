//! What to compile for: the chip, the PTX version that it needs, and how hard to optimise.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A GPU architecture that tidegate compiles for. The trailing `a` stands for the architecture's own instructions
/// (`wgmma`, `tcgen05`), which run on no later architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Chip {
    /// Hopper: H100, H200.
    Sm90a,
    /// Blackwell: B200.
    Sm100a,
    /// Blackwell Ultra: B300.
    Sm103a,
}

impl Chip {
    /// All chips, oldest first.
    pub const ALL: [Self; 3] = [Self::Sm90a, Self::Sm100a, Self::Sm103a];

    /// The name that LLVM and `ptxas` use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sm90a => "sm_90a",
            Self::Sm100a => "sm_100a",
            Self::Sm103a => "sm_103a",
        }
    }

    /// The PTX version to emit, as the LLVM feature: the oldest that has all instructions we emit for the chip.
    pub const fn ptx_feature(self) -> &'static str {
        match self {
            Self::Sm90a => "+ptx86",
            Self::Sm100a | Self::Sm103a => "+ptx88",
        }
    }

    /// Does the chip have fifth-generation tensor cores and tensor memory?
    pub const fn has_tensor_memory(self) -> bool {
        match self {
            Self::Sm90a => false,
            Self::Sm100a | Self::Sm103a => true,
        }
    }

    /// Does the chip have the warpgroup tensor-core instructions of Hopper (`wgmma`)?
    pub const fn has_wgmma(self) -> bool {
        match self {
            Self::Sm90a => true,
            Self::Sm100a | Self::Sm103a => false,
        }
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A chip name that is none of ours.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown target `{0}`: expected one of sm_90a, sm_100a, sm_103a")]
pub struct UnknownChip(pub String);

impl FromStr for Chip {
    type Err = UnknownChip;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|chip| chip.name() == name).ok_or_else(|| UnknownChip(name.to_owned()))
    }
}

/// How hard LLVM optimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OptLevel {
    /// `-O0`.
    None,
    /// `-O1`.
    Less,
    /// `-O2`.
    Some,
    /// `-O3`.
    #[default]
    Full,
}

impl OptLevel {
    /// The level as a number, 0 to 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Less => 1,
            Self::Some => 2,
            Self::Full => 3,
        }
    }
}

/// How to make PTX from a lowered kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// The chip to compile for.
    pub chip: Chip,
    /// How hard to optimise.
    pub opt_level: OptLevel,
    /// Whether PTX carries line tables (`.loc`) that point at the kernel's source.
    pub line_tables: bool,
}

impl CodegenOptions {
    /// Full optimisation with line tables.
    pub const fn new(chip: Chip) -> Self {
        Self { chip, opt_level: OptLevel::Full, line_tables: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for chip in Chip::ALL {
            assert_eq!(chip.to_string().parse(), Ok(chip));
        }
        let error = "sm_80".parse::<Chip>().unwrap_err();
        assert!(error.to_string().contains("unknown target `sm_80`"));
        for chip in Chip::ALL {
            assert!(error.to_string().contains(chip.name()), "the message lists {chip}");
        }
    }

    #[test]
    fn each_chip_has_one_kind_of_tensor_core() {
        for chip in Chip::ALL {
            assert_ne!(chip.has_wgmma(), chip.has_tensor_memory(), "{chip}");
        }
    }
}
