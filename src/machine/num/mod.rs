//! Number formats of the tensor cores and of conversions.
