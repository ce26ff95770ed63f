//! Holds an output against what is expected: the rule of `numpy.allclose`.

use tidegate::ptx::manifest::{Array, Number};

/// How far an element may be from the expected one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// Times the size of the expected element.
    pub(crate) relative: f64,
    /// In any case.
    pub(crate) absolute: f64,
    /// NaN is as good as NaN.
    pub(crate) equal_nan: bool,
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// How many elements are too far off.
    pub(crate) wrong: usize,
    /// Of how many.
    pub(crate) of: usize,
    /// The element that is furthest off among the wrong ones, else among all that differ: its position, both
    /// numbers, and the difference.
    pub(crate) worst: Option<(usize, Number, Number, f64)>,
}

impl Compared {
    /// How many elements are not the same to the last bit; NaN is as good as NaN.
    pub(crate) fn of_which_differ(&self, a: &Array, b: &Array) -> usize {
        (0..self.of).filter(|&i| difference(a.get(i), b.get(i), true) > 0.0).count()
    }
}

/// Compares arrays of the same shape.
pub(crate) fn compare(got: &Array, want: &Array, tolerance: Tolerance) -> Compared {
    let mut out = Compared { wrong: 0, of: got.len(), worst: None };
    if got.dtype == want.dtype && got.bytes == want.bytes && (tolerance.equal_nan || !got.dtype.is_float()) {
        return out;
    }
    let mut worst_is_wrong = false;
    for i in 0..got.len() {
        let (a, b) = (got.get(i), want.get(i));
        let difference = difference(a, b, tolerance.equal_nan);
        let allowed = tolerance.absolute + tolerance.relative * b.to_f64().abs();
        // A tolerance that is not a number allows nothing.
        let wrong = difference > 0.0 && (difference > allowed || allowed.is_nan());
        out.wrong += usize::from(wrong);
        let further = out.worst.as_ref().is_none_or(|worst| difference > worst.3);
        if difference > 0.0 && ((wrong && !worst_is_wrong) || (wrong == worst_is_wrong && further)) {
            out.worst = Some((i, a, b, difference));
            worst_is_wrong = wrong;
        }
    }
    out
}

/// How far apart two numbers are; infinite when one is NaN, or both unless that is fine.
fn difference(a: Number, b: Number, equal_nan: bool) -> f64 {
    if let (Number::Integer(a), Number::Integer(b)) = (a, b) {
        return a.abs_diff(b) as f64;
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    if a == b || (equal_nan && a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let difference = (a - b).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use tidegate::ptx::manifest::DType;

    fn floats(values: &[f32]) -> Array {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Array { dtype: DType::F32, shape: vec![values.len() as u64], bytes }
    }

    #[test]
    fn the_rule_of_allclose() {
        let t = |relative, absolute, equal_nan| Tolerance { relative, absolute, equal_nan };
        let wrong = |a: &[f32], b: &[f32], t| compare(&floats(a), &floats(b), t).wrong;
        assert_eq!(wrong(&[1.0, 2.0], &[1.0, 2.1], t(0.0, 0.2, false)), 0);
        assert_eq!(wrong(&[1.0, 2.0], &[1.0, 2.1], t(0.0, 0.0, false)), 1);
        assert_eq!(wrong(&[100.0], &[101.0], t(0.01, 0.0, false)), 0);
        assert_eq!(wrong(&[f32::NAN], &[f32::NAN], t(1.0, 1.0, false)), 1);
        assert_eq!(wrong(&[f32::NAN], &[f32::NAN], t(0.0, 0.0, true)), 0);
        assert_eq!(wrong(&[f32::NAN], &[1.0], t(1.0, 1.0, true)), 1);
        assert_eq!(wrong(&[f32::INFINITY], &[f32::INFINITY], t(0.0, 0.0, false)), 0);
        assert_eq!(wrong(&[f32::INFINITY], &[-f32::INFINITY], t(0.0, 1.0, false)), 1);
        let found = compare(&floats(&[1.0, 5.0, 2.0]), &floats(&[1.5, 2.0, 2.0]), t(0.0, 1.0, false));
        assert_eq!((found.wrong, found.of), (1, 3));
        assert_eq!(found.worst.unwrap().0, 1);
    }

    #[test]
    fn whole_numbers_are_exact() {
        let of = |n: u64| Array { dtype: DType::U64, shape: vec![1], bytes: n.to_le_bytes().to_vec() };
        let t = Tolerance { relative: 0.0, absolute: 0.0, equal_nan: false };
        assert_eq!(compare(&of(u64::MAX), &of(u64::MAX - 1), t).wrong, 1);
        assert_eq!(compare(&of(u64::MAX), &of(u64::MAX), t).wrong, 0);
    }
}
