//! Types at random.

use tidegate_ir::Type;
use tidegate_ir::types::{
    BarrierRefType, ClusterAxes, ClusterScope, DYNAMIC, FloatKind, MAX_ARRIVALS, RefType, Signedness, Space,
    TypeKind,
};

use super::Generator;

impl Generator<'_> {
    pub(super) fn intern(&mut self, kind: TypeKind) -> Type {
        self.module.types.intern(kind.clone()).unwrap_or_else(|error| panic!("{kind:?}: {error}"))
    }

    pub(super) fn any_type(&mut self) -> Type {
        match self.choices.below(12) {
            0 | 1 => self.scalar(),
            2 => self.vector_of(None),
            3 => {
                let inputs = (0..self.choices.below(3)).map(|_| self.scalar()).collect();
                let results = (0..self.choices.below(3)).map(|_| self.function_or_scalar()).collect();
                self.intern(TypeKind::Function { inputs, results })
            }
            4 => self.module.types.none(),
            5 => self.array_ref(None),
            6 | 7 => self.barrier(),
            8 => self.acc(),
            9 => {
                let shape = self.group(3);
                self.intern(TypeKind::SemaphoreRef { shape })
            }
            10 => {
                let text = self.choices.of(&[
                    "!llvm.ptr",
                    "!llvm.struct<(i32, f32)>",
                    "memref<4x?xf32>",
                    "tensor<?xf32>",
                    "tuple<i32, f32>",
                    "complex<f32>",
                    "!zz.fn<(i32) -> i32>",
                    "!zz.s<\"a>b\">",
                    "f128",
                    "tensor<*xf32>",
                ]);
                self.intern(TypeKind::Opaque(text.into()))
            }
            _ => {
                let wide = if self.options.for_mlir { 128 } else { (1 << 24) - 1 };
                let width = self.choices.of(&[1, 7, 128, wide]);
                let signedness =
                    self.choices.of(&[Signedness::Signless, Signedness::Signed, Signedness::Unsigned]);
                self.intern(TypeKind::Integer { width, signedness })
            }
        }
    }
    fn function_or_scalar(&mut self) -> Type {
        if self.choices.once_in(5) {
            let input = self.scalar();
            return self.intern(TypeKind::Function { inputs: [input].into(), results: [].into() });
        }
        self.scalar()
    }

    pub(super) fn scalar(&mut self) -> Type {
        if self.choices.once_in(2) { self.float() } else { self.int() }
    }
    /// A signless integer or `index`.
    pub(super) fn int(&mut self) -> Type {
        match self.choices.below(6) {
            0 => self.module.types.index(),
            width => self.module.types.int([32, 64, 1, 8, 16][width - 1]),
        }
    }
    pub(super) fn float(&mut self) -> Type {
        let kind = self.choices.of(FloatKind::ALL);
        self.module.types.float(kind)
    }
    pub(super) fn vector_of(&mut self, elem: Option<Type>) -> Type {
        let elem = elem.unwrap_or_else(|| self.scalar());
        let shape: Vec<i64> = (0..1 + self.choices.below(3)).map(|_| self.extent()).collect();
        self.module.types.vector(&shape, elem).unwrap()
    }
    pub(super) fn extent(&mut self) -> i64 {
        self.choices.of(&[4, 1, 8, 64, 128])
    }
    /// `elem`, or an array of it.
    pub(super) fn like(&mut self, elem: Type) -> Type {
        if self.choices.once_in(2) { self.vector_of(Some(elem)) } else { elem }
    }

    pub(super) fn group(&mut self, rank: usize) -> Box<[i64]> {
        (0..self.choices.below(rank)).map(|_| self.choices.of(&[2, 1, 4, 8])).collect()
    }
    pub(super) fn barrier(&mut self) -> Type {
        let mut barrier = BarrierRefType::new(&[], self.choices.of(&[1, 2, MAX_ARRIVALS]));
        barrier.shape = self.group(4);
        barrier.orders_tensor_core = self.choices.once_in(3);
        if self.choices.once_in(3) {
            let axes = match self.choices.below(3) {
                0 => [ClusterAxes::One("x".into())].into(),
                1 => [ClusterAxes::One("x".into()), ClusterAxes::Joint(["y".into(), "z \"".into()].into())]
                    .into(),
                _ => [ClusterAxes::Joint(["é".into()].into())].into(),
            };
            barrier.cluster = Some(ClusterScope { axes, leader_tracked: self.choices.once_in(2) });
        }
        self.intern(TypeKind::BarrierRef(barrier))
    }
    pub(super) fn acc(&mut self) -> Type {
        let elem = self.scalar();
        let shape = [self.choices.of(&[64, 128]), self.choices.of(&[8, 128, 256])];
        self.intern(TypeKind::Acc { shape, elem })
    }
    pub(super) fn array_ref(&mut self, space: Option<Space>) -> Type {
        let space = space.unwrap_or_else(|| self.choices.of(&[Space::Gmem, Space::Smem, Space::Tmem]));
        let elem = self.scalar();
        let mut shape: Vec<i64> = (0..self.choices.below(4)).map(|_| self.extent()).collect();
        if space == Space::Tmem {
            shape = vec![self.choices.of(&[64, 128]), self.extent()];
        }
        let mut reference = RefType::new(&shape, elem, space);
        match space {
            Space::Gmem => {
                for dim in &mut reference.shape {
                    if self.choices.once_in(3) {
                        *dim = DYNAMIC;
                    }
                }
                if self.choices.once_in(3) {
                    reference.strides =
                        Some(shape.iter().map(|_| self.choices.of(&[1, 0, 77, DYNAMIC])).collect());
                }
            }
            Space::Smem => {
                if self.choices.once_in(3) {
                    reference.swizzle = Some(self.choices.of(&[32, 64, 128]));
                }
                if !shape.is_empty() && self.choices.once_in(3) {
                    let first = self.choices.below(shape.len());
                    reference.tile =
                        Some(shape[first..].iter().map(|&dim| if dim % 4 == 0 { 4 } else { 1 }).collect());
                } else if self.choices.once_in(4) {
                    reference.strides = Some(shape.iter().map(|_| self.choices.of(&[1, 0, 77])).collect());
                }
            }
            Space::Tmem => {
                let narrow = self.module.types.bit_width(elem).is_some_and(|bits| bits < 32);
                match self.choices.below(3) {
                    0 => reference.packed = true,
                    1 => reference.layout = Some(self.choices.of(&["wg", "a>b\"", "é"]).into()),
                    _ => reference.packed = narrow,
                }
                reference.collective = self.choices.once_in(2);
            }
        }
        self.intern(TypeKind::Ref(reference))
    }
}
