//! The sums of the tensor cores: `D = C + A * B` for one instruction's tile.
//!
//! Hardware adds the products of an instruction in an order and with a width that NVIDIA does not publish.
//! Here a sum starts at `C` and takes the products one by one, `k` ascending, each sum rounded to nearest
//! even in f32. Sums of whole numbers below 2^24 are exact in every order, so that they are equal to those
//! of hardware bit by bit.
//!
//! Products of f16, bf16, f8, f6, f4 and tf32 numbers have at most 22 significant bits: exact in f32, but
//! where they leave its range. A fused multiply-add and a multiplication before an addition give the same
//! sum, and so does every host.
//!
//! Accumulators of f16 (`.f16` as type of D): the sum is f32 throughout and rounded to f16 once, at the end
//! of the instruction; see [`super::slices::round_to_f16`]. Subnormal numbers are kept. NaNs are not made
//! canonical here: whoever stores a result does so with the encoders of [`super::slices`], and for f32 with
//! [`super::slices::canonical_f32`].

use multiversion::{multiversion, target::match_target};

/// The shape of a tile; A is `m` x `k`, B is `k` x `n`, C and D are `m` x `n`, all by rows without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A and D.
    pub m: usize,
    /// Columns of B and D.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

/// A slice that does not have the length of its matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "matrix {matrix} of a {}x{}x{} tile has {found} elements, want {wanted}: pass rows x columns elements, by rows, \
     without gaps",
    shape.m, shape.n, shape.k
)]
pub struct LengthError {
    /// `A`, `B` or `D`.
    pub matrix: char,
    /// The tile.
    pub shape: Shape,
    /// Elements of the slice.
    pub found: usize,
    /// Elements of the matrix (`usize::MAX` where the product overflows).
    pub wanted: usize,
}

impl Shape {
    fn check(self, a: usize, b: usize, d: usize) -> Result<(), LengthError> {
        for (matrix, found, rows, columns) in
            [('A', a, self.m, self.k), ('B', b, self.k, self.n), ('D', d, self.m, self.n)]
        {
            let wanted = rows.saturating_mul(columns);
            if found != wanted {
                return Err(LengthError { matrix, shape: self, found, wanted });
            }
        }
        Ok(())
    }
}

/// `D += A * B` in f32. `d` holds C before (zeros where the instruction ignores C) and D after.
///
/// # Errors
/// [`LengthError`] if a slice does not fit the shape; `d` is then unchanged.
pub fn mma_f32(shape: Shape, a: &[f32], b: &[f32], d: &mut [f32]) -> Result<(), LengthError> {
    shape.check(a.len(), b.len(), d.len())?;
    kernel_f32(shape, a, b, d);
    Ok(())
}

/// `D += A * B` in f64, each product and sum fused (`mma.m8n8k4.f64`, to nearest even).
///
/// # Errors
/// [`LengthError`] if a slice does not fit the shape; `d` is then unchanged.
pub fn mma_f64(shape: Shape, a: &[f64], b: &[f64], d: &mut [f64]) -> Result<(), LengthError> {
    shape.check(a.len(), b.len(), d.len())?;
    kernel_f64(shape, a, b, d);
    Ok(())
}

/// `D += A * B` in i32, modulo 2^32. A and B hold the values of `.s8`, `.u8`, `.s4` or `.u4` numbers.
///
/// # Errors
/// [`LengthError`] if a slice does not fit the shape; `d` is then unchanged.
pub fn mma_i32(shape: Shape, a: &[i32], b: &[i32], d: &mut [i32]) -> Result<(), LengthError> {
    shape.check(a.len(), b.len(), d.len())?;
    kernel_i32(shape, a, b, d);
    Ok(())
}

/// `D += A * B` in i32, clamped to the range of i32 (`.satfinite`): the exact sum of C and all products,
/// clamped once.
///
/// # Errors
/// [`LengthError`] if a slice does not fit the shape; `d` is then unchanged.
pub fn mma_i32_satfinite(shape: Shape, a: &[i32], b: &[i32], d: &mut [i32]) -> Result<(), LengthError> {
    shape.check(a.len(), b.len(), d.len())?;
    kernel_i32_satfinite(shape, a, b, d);
    Ok(())
}

/// One step of a sum: `accumulator + a * b`.
trait Step: Copy + Default {
    /// `fused` is whether the code is compiled for a CPU with fused multiply-add.
    fn step(self, a: Self, b: Self, fused: bool) -> Self;
}

impl Step for f32 {
    #[inline(always)]
    fn step(self, a: Self, b: Self, fused: bool) -> Self {
        if fused { a.mul_add(b, self) } else { a * b + self }
    }
}

impl Step for f64 {
    #[inline(always)]
    fn step(self, a: Self, b: Self, fused: bool) -> Self {
        // A product is not exact: without the instruction it takes software.
        if fused { a.mul_add(b, self) } else { libm::fma(a, b, self) }
    }
}

impl Step for i32 {
    #[inline(always)]
    fn step(self, a: Self, b: Self, _: bool) -> Self {
        self.wrapping_add(a.wrapping_mul(b))
    }
}

/// `ROWS` x `COLS` elements of D at (`row`, `column`), kept in registers while `k` runs.
#[inline(always)]
fn block<T: Step, const ROWS: usize, const COLS: usize>(
    shape: Shape,
    a: &[T],
    b: &[T],
    d: &mut [T],
    (row, column): (usize, usize),
    fused: bool,
) {
    let Shape { n, k, .. } = shape;
    let mut sums = [[T::default(); COLS]; ROWS];
    let mut a_rows: [&[T]; ROWS] = [&[]; ROWS];
    for r in 0..ROWS {
        sums[r].copy_from_slice(&d[(row + r) * n + column..][..COLS]);
        a_rows[r] = &a[(row + r) * k..][..k];
    }
    for (i, b_row) in b.chunks_exact(n).enumerate() {
        let b_row = &b_row[column..][..COLS];
        for r in 0..ROWS {
            let factor = a_rows[r][i];
            for c in 0..COLS {
                sums[r][c] = sums[r][c].step(factor, b_row[c], fused);
            }
        }
    }
    for r in 0..ROWS {
        d[(row + r) * n + column..][..COLS].copy_from_slice(&sums[r]);
    }
}

/// All blocks of `ROWS` rows from `row` on: wide ones, then narrow ones, then single columns.
#[inline(always)]
fn rows<T: Step, const ROWS: usize, const WIDE: usize>(
    shape: Shape,
    a: &[T],
    b: &[T],
    d: &mut [T],
    row: usize,
    fused: bool,
) {
    let mut column = 0;
    while column + WIDE <= shape.n {
        block::<T, ROWS, WIDE>(shape, a, b, d, (row, column), fused);
        column += WIDE;
    }
    while column + 8 <= shape.n {
        block::<T, ROWS, 8>(shape, a, b, d, (row, column), fused);
        column += 8;
    }
    while column < shape.n {
        block::<T, ROWS, 1>(shape, a, b, d, (row, column), fused);
        column += 1;
    }
}

#[inline(always)]
fn tile<T: Step, const WIDE: usize>(shape: Shape, a: &[T], b: &[T], d: &mut [T], fused: bool) {
    let mut row = 0;
    while row + 4 <= shape.m {
        rows::<T, 4, WIDE>(shape, a, b, d, row, fused);
        row += 4;
    }
    while row < shape.m {
        rows::<T, 1, WIDE>(shape, a, b, d, row, fused);
        row += 1;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn kernel_f32(shape: Shape, a: &[f32], b: &[f32], d: &mut [f32]) {
    // Registers: 4 rows of 4 vectors of 16, or of 2 vectors of 8.
    match_target! {
        "x86_64+avx512f+fma" => tile::<f32, 64>(shape, a, b, d, true),
        "x86_64+fma" => tile::<f32, 16>(shape, a, b, d, true),
        "aarch64" => tile::<f32, 16>(shape, a, b, d, true),
        _ => tile::<f32, 8>(shape, a, b, d, false),
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn kernel_f64(shape: Shape, a: &[f64], b: &[f64], d: &mut [f64]) {
    match_target! {
        "x86_64+fma" => tile::<f64, 8>(shape, a, b, d, true),
        "aarch64" => tile::<f64, 8>(shape, a, b, d, true),
        _ => tile::<f64, 8>(shape, a, b, d, false),
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn kernel_i32(shape: Shape, a: &[i32], b: &[i32], d: &mut [i32]) {
    tile::<i32, 32>(shape, a, b, d, false);
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn kernel_i32_satfinite(shape: Shape, a: &[i32], b: &[i32], d: &mut [i32]) {
    let Shape { n, k, .. } = shape;
    if n == 0 || k == 0 {
        return;
    }
    let mut sums = vec![0i64; n];
    for (d_row, a_row) in d.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
        for (sum, c) in sums.iter_mut().zip(&*d_row) {
            *sum = i64::from(*c);
        }
        for (factor, b_row) in a_row.iter().zip(b.chunks_exact(n)) {
            for (sum, value) in sums.iter_mut().zip(b_row) {
                *sum = sum.saturating_add(i64::from(*factor) * i64::from(*value));
            }
        }
        for (out, sum) in d_row.iter_mut().zip(&sums) {
            *out = (*sum).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::Instant;

    use super::*;

    const SHAPES: [Shape; 9] = [
        Shape { m: 16, n: 128, k: 16 },
        Shape { m: 16, n: 8, k: 32 },
        Shape { m: 64, n: 256, k: 16 },
        Shape { m: 5, n: 75, k: 3 },
        Shape { m: 1, n: 1, k: 1 },
        Shape { m: 128, n: 24, k: 8 },
        Shape { m: 4, n: 200, k: 0 },
        Shape { m: 4, n: 0, k: 5 },
        Shape { m: 0, n: 8, k: 5 },
    ];

    fn whole(length: usize, seed: u64, span: i32) -> Vec<i32> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..length).map(|_| random.i32(-span..span)).collect()
    }

    /// The definition, in i64.
    fn definition(shape: Shape, a: &[i32], b: &[i32], d: &[i32]) -> Vec<i64> {
        let Shape { m, n, k } = shape;
        let element = |r: usize, c: usize| -> i64 {
            let products = (0..k).map(|i| i64::from(a[r * k + i]) * i64::from(b[i * n + c]));
            i64::from(d[r * n + c]) + products.sum::<i64>()
        };
        (0..m * n).map(|i| element(i / n, i % n)).collect()
    }

    #[test]
    fn whole_numbers_are_exact_in_every_type() {
        for shape in SHAPES {
            let Shape { m, n, k } = shape;
            let (a, b, c) = (whole(m * k, 1, 128), whole(k * n, 2, 128), whole(m * n, 3, 1000));
            let want = definition(shape, &a, &b, &c);
            let (mut wrapping, mut clamped) = (c.clone(), c.clone());
            mma_i32(shape, &a, &b, &mut wrapping).unwrap();
            mma_i32_satfinite(shape, &a, &b, &mut clamped).unwrap();
            assert_eq!(wrapping, clamped);
            assert!(wrapping.iter().zip(&want).all(|(x, y)| i64::from(*x) == *y), "{shape:?}");
            let f32s = |x: &[i32]| x.iter().map(|v| *v as f32).collect::<Vec<_>>();
            let mut sums = f32s(&c);
            mma_f32(shape, &f32s(&a), &f32s(&b), &mut sums).unwrap();
            assert!(sums.iter().zip(&want).all(|(x, y)| *x == *y as f32), "{shape:?}");
            // What other hosts run.
            let (mut narrow, mut wide) = (f32s(&c), f32s(&c));
            tile::<f32, 8>(shape, &f32s(&a), &f32s(&b), &mut narrow, false);
            tile::<f32, 16>(shape, &f32s(&a), &f32s(&b), &mut wide, true);
            assert!(narrow == sums && wide == sums);
            let f64s = |x: &[i32]| x.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
            let mut sums = f64s(&c);
            mma_f64(shape, &f64s(&a), &f64s(&b), &mut sums).unwrap();
            assert!(sums.iter().zip(&want).all(|(x, y)| *x == *y as f64), "{shape:?}");
        }
    }

    #[test]
    fn integers_wrap_or_clamp() {
        let shape = Shape { m: 1, n: 2, k: 2 };
        let (a, b) = ([127, -128], [127, -128, -128, 127]);
        let products = [127 * 127 + 128 * 128, -2 * 127 * 128];
        let mut d = [i32::MAX, i32::MIN];
        mma_i32(shape, &a, &b, &mut d).unwrap();
        assert_eq!(d, [i32::MAX.wrapping_add(products[0]), i32::MIN.wrapping_add(products[1])]);
        let mut d = [i32::MAX, i32::MIN];
        mma_i32_satfinite(shape, &a, &b, &mut d).unwrap();
        assert_eq!(d, [i32::MAX, i32::MIN]);
    }

    /// Fractions of f16: a fused step and two steps agree, as products are exact.
    #[test]
    fn every_host_gives_the_same_sum() {
        let shape = Shape { m: 16, n: 72, k: 16 };
        let mut random = fastrand::Rng::with_seed(7);
        let mut numbers = |length| -> Vec<f32> {
            (0..length).map(|_| half::f16::from_f32(random.f32() * 8.0 - 4.0).to_f32()).collect()
        };
        let (a, b, c) = (numbers(16 * 16), numbers(16 * 72), numbers(16 * 72));
        let (mut fused, mut plain) = (c.clone(), c);
        mma_f32(shape, &a, &b, &mut fused).unwrap();
        tile::<f32, 8>(shape, &a, &b, &mut plain, false);
        assert_eq!(fused, plain);
    }

    #[test]
    fn lengths_are_checked() {
        let shape = Shape { m: 2, n: 3, k: 4 };
        let error = mma_f32(shape, &[0.0; 8], &[0.0; 11], &mut [0.0; 6]).unwrap_err();
        assert_eq!((error.matrix, error.found, error.wanted), ('B', 11, 12));
        assert!(error.to_string().contains("matrix B of a 2x3x4 tile has 11 elements, want 12"));
        let huge = Shape { m: usize::MAX, n: 2, k: 4 };
        assert!(mma_f32(huge, &[], &[0.0; 8], &mut []).is_err());
    }

    #[test]
    #[ignore = "a measurement: cargo test --release -p tidegate-machine -- --ignored --nocapture rates"]
    fn rates() {
        for (m, n, k) in
            [(16, 128, 16), (64, 256, 16), (128, 256, 16), (16, 8, 16), (64, 64, 8), (64, 24, 32)]
        {
            let shape = Shape { m, n, k };
            let repeats = 400_000_000 / (m * n * k);
            let operations = (repeats * m * n * k) as f64;
            let (a, b, mut d) = (vec![1f32; m * k], vec![0.5f32; k * n], vec![0f32; m * n]);
            let start = Instant::now();
            for _ in 0..repeats {
                mma_f32(shape, black_box(&a), black_box(&b), black_box(&mut d)).unwrap();
            }
            let f32_rate = operations / start.elapsed().as_nanos() as f64;
            let (a, b, mut d) = (vec![1f64; m * k], vec![0.5f64; k * n], vec![0f64; m * n]);
            let start = Instant::now();
            for _ in 0..repeats / 4 {
                mma_f64(shape, black_box(&a), black_box(&b), black_box(&mut d)).unwrap();
            }
            let f64_rate = operations / 4.0 / start.elapsed().as_nanos() as f64;
            let (a, b, mut d) = (vec![1; m * k], vec![2; k * n], vec![0; m * n]);
            let start = Instant::now();
            for _ in 0..repeats / 4 {
                mma_i32(shape, black_box(&a), black_box(&b), black_box(&mut d)).unwrap();
            }
            let i32_rate = operations / 4.0 / start.elapsed().as_nanos() as f64;
            println!(
                "{m}x{n}x{k}: f32 {f32_rate:.1}, f64 {f64_rate:.1}, i32 {i32_rate:.1} G multiply-adds a second \
                 ({:.1} GFLOP/s in f32)",
                2.0 * f32_rate
            );
        }
    }
}
