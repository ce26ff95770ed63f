//! What JAX's kernels compute, written down again.

use tidegate_ptx::manifest::{Array, DType};

fn floats(a: &Array) -> Vec<f32> {
    (0..a.len()).map(|i| a.get(i).to_f64() as f32).collect()
}

fn f32s(shape: &[u64], values: &[f32]) -> Array {
    Array {
        dtype: DType::F32,
        shape: shape.to_vec(),
        bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
    }
}

fn f16s(shape: &[u64], values: &[f32]) -> Array {
    let bytes = values.iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect();
    Array { dtype: DType::F16, shape: shape.to_vec(), bytes }
}

/// Element by element.
pub fn map(a: &Array, f: impl Fn(f32) -> f32) -> Array {
    f32s(&a.shape, &floats(a).into_iter().map(f).collect::<Vec<_>>())
}

/// Two arrays, element by element.
pub fn zip(a: &Array, b: &Array, f: impl Fn(f32, f32) -> f32) -> Array {
    f32s(&a.shape, &floats(a).into_iter().zip(floats(b)).map(|(x, y)| f(x, y)).collect::<Vec<_>>())
}

/// The two halves of a vector of 256 exchanged.
pub fn exchange(a: &Array) -> Array {
    let mut bytes = a.bytes[a.bytes.len() / 2..].to_vec();
    bytes.extend_from_slice(&a.bytes[..a.bytes.len() / 2]);
    Array { bytes, ..a.clone() }
}

/// The array twice, one on the other.
pub fn stack(a: &Array) -> Array {
    let mut shape = vec![2];
    shape.extend_from_slice(&a.shape);
    Array { dtype: a.dtype, shape, bytes: [&a.bytes[..], &a.bytes[..]].concat() }
}

/// Rows summed in order.
pub fn sum_rows(a: &Array) -> Array {
    let (rows, n) = (a.shape[0] as usize, a.shape[1] as usize);
    let x = floats(a);
    let mut acc = vec![0f32; n];
    for r in 0..rows {
        for (acc, x) in acc.iter_mut().zip(&x[r * n..]) {
            *acc += x;
        }
    }
    f32s(&[n as u64], &acc)
}

/// f16 by f16, summed in f32, rounded to f16 at the end.
pub fn matmul(a: &Array, b: &Array) -> Array {
    let (m, k, n) = (a.shape[0] as usize, a.shape[1] as usize, b.shape[1] as usize);
    let (x, y) = (floats(a), floats(b));
    let mut out = vec![0f32; m * n];
    for i in 0..m {
        let row = &mut out[i * n..(i + 1) * n];
        for l in 0..k {
            let s = x[i * k + l];
            for (o, v) in row.iter_mut().zip(&y[l * n..(l + 1) * n]) {
                *o += s * v;
            }
        }
    }
    f16s(&[m as u64, n as u64], &out)
}

/// Attention without a mask or scale, over (batch, sequence, heads, dimension), in f64.
pub fn attention(q: &Array, k: &Array, v: &Array) -> Array {
    let [batch, seq, heads, dim] = [0, 1, 2, 3].map(|i| q.shape[i] as usize);
    let keys = k.shape[1] as usize;
    let kv_heads = k.shape[2] as usize;
    let (q, k, v) = (floats(q), floats(k), floats(v));
    let mut out = vec![0f32; batch * seq * heads * dim];
    for b in 0..batch {
        for h in 0..heads {
            let kh = h * kv_heads / heads;
            for i in 0..seq {
                let query = &q[((b * seq + i) * heads + h) * dim..][..dim];
                let key = |j: usize| ((b * keys + j) * kv_heads + kh) * dim;
                let scores: Vec<f64> = (0..keys)
                    .map(|j| query.iter().zip(&k[key(j)..]).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum())
                    .collect();
                let max = scores.iter().copied().fold(f64::MIN, f64::max);
                let p: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
                let total: f64 = p.iter().sum();
                for d in 0..dim {
                    let sum: f64 = (0..keys).map(|j| p[j] * f64::from(v[key(j) + d])).sum();
                    out[((b * seq + i) * heads + h) * dim + d] = (sum / total) as f32;
                }
            }
        }
    }
    f16s(&[batch as u64, seq as u64, heads as u64, dim as u64], &out)
}

/// The largest difference of two arrays of one shape.
pub fn largest_error(a: &Array, b: &Array) -> f64 {
    let diff = |i: usize| (a.get(i).to_f64() - b.get(i).to_f64()).abs();
    (0..a.len()).map(diff).fold(0.0, |m, d| if d.is_nan() || d > m { d } else { m })
}
