//! Holds a manifest against the PTX that it is to launch.

use super::error::{Kind, ManifestError};
use super::{GridSize, Manifest, ParamKind};
use crate::ast::Space;
use crate::launch::Module;
use crate::program::{Formal, FunctionId, Symbol};

/// The kernel that the manifest is about.
///
/// # Errors
///
/// Each misfit.
pub(super) fn check(manifest: &Manifest, module: &Module) -> Result<FunctionId, Vec<ManifestError>> {
    let program = &module.code.program;
    let misfit = |path: &str, text: String| ManifestError::new(Kind::Misfit, path, text);
    let kernel = match module.kernel(&manifest.entry) {
        Ok(kernel) => kernel,
        Err(error) => return Err(vec![misfit("entry", error.to_string())]),
    };
    let mut found = Vec::new();
    if let (Some(wanted), Some(target)) = (&manifest.target, program.target.first())
        && wanted != target
    {
        found.push(misfit("target", format!("the manifest is for {wanted}, the PTX for {target}")));
    }
    let function = &program.functions[kernel.0 as usize];
    let declared: Vec<&Symbol> = function
        .params
        .iter()
        .filter_map(|p| match p {
            Formal::Memory(id) => program.symbols.get(id.0 as usize),
            Formal::Register(..) => None,
        })
        .collect();
    if declared.len() != manifest.params.len() {
        let count = |n: usize| format!("{n} parameter{}", if n == 1 { "" } else { "s" });
        let text = format!(
            "the manifest has {}, `{}` takes {}",
            count(manifest.params.len()),
            function.name,
            declared.len()
        );
        found.push(misfit("params", text));
    }
    for (i, (param, symbol)) in manifest.params.iter().zip(&declared).enumerate() {
        let path = |field: &str| format!("params[{i}].{field}");
        if param.name != symbol.name {
            let text = format!("`{}`, while the PTX has `{}` there", param.name, symbol.name);
            found.push(misfit(&path("name"), text).help("parameters stand in the order of the PTX"));
        }
        if param.bytes != symbol.size {
            let text =
                format!("{}, while `{}` has {} bytes in the PTX", param.bytes, symbol.name, symbol.size);
            found.push(misfit(&path("bytes"), text));
        }
        if param.align != symbol.align {
            let text = format!(
                "{}, while `{}` is aligned to {} bytes in the PTX",
                param.align, symbol.name, symbol.align
            );
            found.push(misfit(&path("align"), text));
        }
        // The hardware takes a map from a multiple of 64 (PTX ISA, "Tensor-map access").
        let maps: Vec<usize> = match &param.kind {
            ParamKind::TensorMaps(_) => vec![0],
            ParamKind::Structure(s) => s.maps.iter().map(|m| m.0).collect(),
            _ => Vec::new(),
        };
        if let Some(at) = maps.iter().map(|&m| symbol.offset + m as u64).find(|at| at % 64 != 0) {
            let text = format!(
                "a map of `{}` lies at byte {at} of the parameters; tensor maps lie at multiples of 64",
                symbol.name
            );
            found.push(misfit(&format!("params[{i}]"), text).help("declare the parameter with `.align 64`"));
        }
    }
    if let Some(name) = &manifest.dynamic_shared_symbol
        && manifest.dynamic_shared_bytes > 0
        && !program.symbols.iter().any(|s| s.space == Space::Shared && &s.name == name)
    {
        let shared: Vec<_> = program
            .symbols
            .iter()
            .filter(|s| s.space == Space::Shared)
            .map(|s| format!("`{}`", s.name))
            .collect();
        let has = if shared.is_empty() { "none".to_owned() } else { shared.join(", ") };
        let text = format!("the PTX has no shared variable `{name}`; it has {has}");
        found.push(misfit("dynamic_shared_symbol", text));
    }
    let threads: u64 = manifest.block.iter().map(|&n| u64::from(n)).product();
    for (name, numbers) in &function.directives {
        let three: [u64; 3] = std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(1));
        let shown = format!("{} x {} x {}", three[0], three[1], three[2]);
        match name.as_str() {
            "maxntid" if threads > three.iter().product::<u64>() => {
                let text = format!("{threads} threads, while the PTX has .maxntid {shown}");
                found.push(misfit("block", text));
            }
            "reqntid" if three != manifest.block.map(u64::from) => {
                let text = format!("{:?}, while the PTX has .reqntid {shown}", manifest.block);
                found.push(misfit("block", text));
            }
            "reqnctapercluster" if three != manifest.cluster.map(u64::from) => {
                let text = format!("{:?}, while the PTX has .reqnctapercluster {shown}", manifest.cluster);
                found.push(misfit("cluster", text));
            }
            _ => {}
        }
    }
    for axis in 0..3 {
        if let GridSize::Known(n) = manifest.grid[axis]
            && manifest.cluster[axis] > 0
            && n % manifest.cluster[axis] != 0
        {
            let text = format!("{n} blocks are no multiple of the cluster's {}", manifest.cluster[axis]);
            found.push(misfit(&format!("grid[{axis}]"), text));
        }
    }
    if found.is_empty() { Ok(kernel) } else { Err(found) }
}
