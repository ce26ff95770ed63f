//! Arrays of the walk, row-major, and what dialect `vector` does with them.

use std::rc::Rc;

use super::arith::combine;
use super::number::{Elem, Num};

/// An array, or a number as an array of rank 0.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) elem: Elem,
    pub(crate) data: Rc<Vec<Num>>,
}

/// Row-major positions of all elements of `shape`.
pub(crate) fn positions(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product()).map(|index| position(index, shape))
}

/// The position of element number `index`.
fn position(mut index: usize, shape: &[usize]) -> Vec<usize> {
    let mut result = vec![0; shape.len()];
    for (slot, &extent) in result.iter_mut().zip(shape).rev() {
        *slot = index % extent;
        index /= extent;
    }
    result
}

/// The number of the element at a position.
fn number(position: &[usize], shape: &[usize]) -> usize {
    position.iter().zip(shape).fold(0, |index, (&at, &extent)| index * extent + at)
}

impl Array {
    /// A number.
    pub(crate) fn scalar(elem: Elem, value: Num) -> Self {
        Self { shape: Vec::new(), elem, data: Rc::new(vec![value]) }
    }
    /// An array of these elements.
    pub(crate) fn new(shape: &[usize], elem: Elem, data: Vec<Num>) -> Self {
        Self { shape: shape.to_vec(), elem, data: Rc::new(data) }
    }
    /// The only element of a number.
    pub(crate) fn number(&self) -> Num {
        self.data[0]
    }

    /// `vector.broadcast`: missing leading dimensions and those of extent 1 repeat.
    pub(crate) fn broadcast(&self, shape: &[usize]) -> Self {
        let lead = shape.len() - self.shape.len();
        let source = |at: &[usize]| {
            let own: Vec<usize> = at[lead..]
                .iter()
                .zip(&self.shape)
                .map(|(&at, &extent)| if extent == 1 { 0 } else { at })
                .collect();
            self.data[number(&own, &self.shape)]
        };
        Self::new(shape, self.elem, positions(shape).map(|at| source(&at)).collect())
    }

    /// `vector.shape_cast`.
    pub(crate) fn cast(&self, shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), ..self.clone() }
    }

    /// `vector.transpose`: dimension `i` of the result is dimension `permutation[i]` of the source.
    pub(crate) fn transpose(&self, permutation: &[usize]) -> Self {
        let shape: Vec<usize> = permutation.iter().map(|&dim| self.shape[dim]).collect();
        let data = positions(&shape).map(|at| {
            let mut own = vec![0; at.len()];
            for (&dim, &at) in permutation.iter().zip(&at) {
                own[dim] = at;
            }
            self.data[number(&own, &self.shape)]
        });
        Self::new(&shape, self.elem, data.collect())
    }

    /// All elements along `dims` combined into `acc`, or, without it, with each other.
    pub(crate) fn reduce(&self, kind: &str, dims: &[usize], acc: Option<&Self>) -> Result<Self, String> {
        let kept: Vec<usize> = (0..self.shape.len()).filter(|dim| !dims.contains(dim)).collect();
        let shape: Vec<usize> = kept.iter().map(|&dim| self.shape[dim]).collect();
        let count = shape.iter().product();
        let mut data: Vec<Option<Num>> = match acc {
            Some(acc) => acc.data.iter().copied().map(Some).collect(),
            None => vec![None; count],
        };
        for (at, &value) in positions(&self.shape).zip(self.data.iter()) {
            let own: Vec<usize> = kept.iter().map(|&dim| at[dim]).collect();
            let slot = &mut data[number(&own, &shape)];
            *slot = Some(match *slot {
                Some(sum) => combine(kind, self.elem, sum, value)?,
                None => value,
            });
        }
        let data = data.into_iter().map(|value| value.ok_or("an empty reduction".to_owned()));
        Ok(Self::new(&shape, self.elem, data.collect::<Result<_, _>>()?))
    }
}
