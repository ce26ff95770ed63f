//! Special registers (ISA chapter 10): their names, not their values.

/// Scalars, without `%`. Numbered ones are in [`NUMBERED`].
const SCALARS: &[&str] = &[
    "aggr_smem_size",
    "clock",
    "clock64",
    "clock_hi",
    "cluster_ctarank",
    "cluster_nctarank",
    "current_graph_exec",
    "dynamic_smem_size",
    "globaltimer",
    "globaltimer_hi",
    "globaltimer_lo",
    "gridid",
    "is_explicit_cluster",
    "laneid",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "nsmid",
    "nwarpid",
    "reserved_smem_offset_0",
    "reserved_smem_offset_1",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_end",
    "smid",
    "total_smem_size",
    "warpid",
];

/// Vectors of `.x`, `.y`, `.z`, `.w`.
const VECTORS: &[&str] =
    &["cluster_ctaid", "cluster_nctaid", "clusterid", "ctaid", "nclusterid", "nctaid", "ntid", "tid"];

/// A name with a number below a bound, and what may follow the number.
const NUMBERED: &[(&str, u32, &str)] = &[("envreg", 32, ""), ("pm", 8, ""), ("pm", 8, "_64")];

/// The name (with `%`) is a special register, or a component of one: its name without `%`.
pub(super) fn special(name: &str) -> Option<&str> {
    let name = name.strip_prefix('%')?;
    let known = match name.split_once('.') {
        Some((base, component)) => VECTORS.contains(&base) && matches!(component, "x" | "y" | "z" | "w"),
        None => {
            SCALARS.contains(&name)
                || VECTORS.contains(&name)
                || NUMBERED.iter().any(|&(prefix, bound, suffix)| {
                    let number = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
                    number.is_some_and(|digits| {
                        digits.bytes().all(|byte| byte.is_ascii_digit())
                            && digits.parse::<u32>().is_ok_and(|number| number < bound)
                    })
                })
        }
    };
    known.then_some(name)
}

/// Names for suggestions, without `%`.
pub(super) fn names() -> impl Iterator<Item = String> {
    let vectors =
        VECTORS.iter().flat_map(|name| ["x", "y", "z"].map(|component| format!("%{name}.{component}")));
    SCALARS.iter().map(|name| format!("%{name}")).chain(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown() {
        for name in ["%tid.x", "%ctaid", "%laneid", "%envreg31", "%pm7_64", "%pm0", "%clock64"] {
            assert_eq!(special(name), name.strip_prefix('%'), "{name}");
        }
        for name in ["tid.x", "%tid.a", "%laneid.x", "%envreg32", "%pm8", "%pm", "%pm+1", "%r1"] {
            assert_eq!(special(name), None, "{name}");
        }
    }
}
