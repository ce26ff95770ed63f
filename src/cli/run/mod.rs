//! `tidegate run`.

mod compare;
mod diagnose;
mod npy;
mod progress;
mod schedule;
mod spec;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tidegate::ir::diag::{Diagnostic, FileId, SourceMap, codes, edit_distance};
use tidegate::machine::grid::Gauge;
use tidegate::machine::hardware::{Config, Counts};
use tidegate::machine::schedule::Schedule;
use tidegate::ptx::launch::{Module, RunOptions};
use tidegate::ptx::manifest::{Array, DType, Direction, Manifest, Prepared, Run, shape_text};

use super::args::{ColorWhen, Format, RunArgs};
use super::io;
use super::report::{self, Outcome, say};
use compare::{Tolerance, compare};
use diagnose::Texts;
use schedule::{Plan, Recorder};
use spec::Named;

/// Why a run came to no result: the outcome, when it has been told already, or diagnostics to tell.
enum Failure {
    Usage(String),
    Found(Vec<Diagnostic>),
}

impl Failure {
    fn one(diagnostic: Diagnostic) -> Failure {
        Failure::Found(vec![diagnostic])
    }
}

type Result<T> = std::result::Result<T, Failure>;

pub(crate) fn run(args: &RunArgs, color: ColorWhen) -> Outcome {
    let mut sources = SourceMap::new();
    let ptx = match io::read(&args.file, &mut sources) {
        Ok(ptx) => ptx,
        Err(diagnostic) => return told(args, color, &sources, vec![*diagnostic], Vec::new()),
    };
    let mut texts = Texts::new(sources, ptx, &args.file);
    match execute(args, &mut texts) {
        Ok((found, lines)) => told(args, color, &texts.sources, found, lines),
        Err(Failure::Found(found)) => told(args, color, &texts.sources, found, Vec::new()),
        Err(Failure::Usage(message)) => {
            say(&format!("error: {message}"));
            Outcome::Usage
        }
    }
}

/// Reports, and says how it ended. `lines` say what was done.
fn told(
    args: &RunArgs,
    color: ColorWhen,
    sources: &SourceMap,
    found: Vec<Diagnostic>,
    lines: Vec<String>,
) -> Outcome {
    let errors = found.iter().filter(|d| d.is_error()).count();
    let warnings = found.len() - errors;
    if let Err(message) = report::all(args.format, color, sources, &found) {
        say(&format!("error: {message}"));
        return Outcome::Usage;
    }
    if args.format == Format::Human && !(args.quiet && found.is_empty()) {
        for line in &lines {
            say(line);
        }
        if !lines.is_empty() || !found.is_empty() {
            say(&report::tally(errors, warnings));
        }
    }
    if errors > 0 { Outcome::Findings } else { Outcome::Fine }
}

/// A launch, and the file of its manifest.
struct Loaded {
    module: Module,
    manifest: Manifest,
    file: Option<FileId>,
}

fn execute(args: &RunArgs, texts: &mut Texts) -> Result<(Vec<Diagnostic>, Vec<String>)> {
    let plans = schedule::plans(args).map_err(Failure::Usage)?;
    let text = texts.sources.file(texts.ptx).text().clone();
    let module = Module::from_text(&text)
        .map_err(|errors| Failure::Found(errors.iter().map(|error| texts.parse_error(error)).collect()))?;
    let loaded = load(args, texts, module)?;
    let run = fill(args, texts, &loaded)?;
    runs(args, texts, &loaded, &run, &plans)
}

/// The file of the manifest: as given, or beside the PTX.
fn manifest_path(args: &RunArgs) -> Option<PathBuf> {
    if let Some(path) = &args.manifest {
        return Some(path.clone());
    }
    if !args.params.is_empty() || args.block.is_some() || args.file.as_os_str() == "-" {
        return None;
    }
    let beside = [args.file.with_extension("manifest.json"), args.file.with_file_name("manifest.json")];
    beside.into_iter().find(|path| path.is_file())
}

fn load(args: &RunArgs, texts: &mut Texts, module: Module) -> Result<Loaded> {
    let Some(path) = manifest_path(args) else { return load_without(args, module) };
    // A manifest that was found and not named: what it decides cannot be given, too.
    let given = [
        ("--cluster", args.cluster.is_some()),
        ("--shared", args.shared.is_some()),
        ("--shared-symbol", args.shared_symbol.is_some()),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!(
            "{option}: `{}` says how the kernel is launched; to launch without it, give --block and --param",
            path.display()
        )));
    }
    let file = io::read(&path, &mut texts.sources).map_err(|diagnostic| Failure::one(*diagnostic))?;
    let text = texts.sources.file(file).text().clone();
    let all = Manifest::all_from_json(&text)
        .map_err(|error| Failure::one(texts.manifest_error(&error, Some(file))))?;
    let names: Vec<String> = all.iter().map(|m| format!("`{}`", m.kernel)).collect();
    let named = |m: &Manifest| args.kernel.as_ref().is_none_or(|name| *name == m.kernel || *name == m.entry);
    let mut fitting = all.into_iter().filter(named);
    let manifest = match (fitting.next(), fitting.next()) {
        (Some(manifest), None) => manifest,
        (Some(_), Some(_)) => {
            return Err(Failure::Usage(format!(
                "`{}` is about {}; --kernel says which",
                path.display(),
                names.join(", ")
            )));
        }
        (None, _) => {
            let has = if names.is_empty() { "no kernel".to_owned() } else { names.join(", ") };
            let not = args.kernel.as_ref().map_or(String::new(), |wanted| format!(", not about `{wanted}`"));
            return Err(Failure::Usage(format!("`{}` is about {has}{not}", path.display())));
        }
    };
    Ok(Loaded { module, manifest, file: Some(file) })
}

fn load_without(args: &RunArgs, module: Module) -> Result<Loaded> {
    let kernels: Vec<&str> = module.kernels().collect();
    let kernel = match (&args.kernel, kernels.as_slice()) {
        (Some(name), _) => name.clone(),
        (None, [one]) => (*one).to_owned(),
        (None, []) => return Err(Failure::Usage("the PTX has no kernel (.entry)".to_owned())),
        (None, several) => {
            return Err(Failure::Usage(format!(
                "the PTX has the kernels {}; --kernel says which",
                several.join(", ")
            )));
        }
    };
    if let Err(error) = module.kernel(&kernel) {
        return Err(Failure::Usage(error.to_string()));
    }
    let declared = spec::declared(&module, &kernel);
    if args.params.is_empty() && !declared.is_empty() {
        let list: Vec<String> = declared.iter().map(|s| format!("{} ({} bytes)", s.name, s.size)).collect();
        return Err(Failure::Usage(format!(
            "there is no manifest beside `{}`; --manifest names one, or --param says what is passed for each of {}",
            args.file.display(),
            list.join(", ")
        )));
    }
    let arrays = named_arrays(args)?;
    let manifest = spec::manifest(args, &module, &kernel, &arrays).map_err(Failure::Usage)?;
    Ok(Loaded { module, manifest, file: None })
}

/// The arrays that the command line names, when there is no manifest to do so.
fn named_arrays(args: &RunArgs) -> Result<Vec<Named>> {
    let written = |name: &str| args.output.iter().chain(&args.expect).any(|pair| pair.0 == name);
    let mut arrays: Vec<Named> = Vec::new();
    for (name, text) in &args.shape {
        let (dtype, shape) = match text.split_once(':') {
            Some((dtype, shape)) => (DType::parse(dtype), numbers(shape)),
            None => (None, numbers(text)),
        };
        let (Some(dtype), Some(shape)) = (dtype, shape) else {
            return Err(Failure::Usage(format!(
                "--shape {name}={text}: TYPE:EXTENTS is wanted, as in f32:128,64"
            )));
        };
        let direction = if written(name) || args.init.iter().any(|pair| pair.0 == *name) {
            Direction::Out
        } else {
            Direction::In
        };
        arrays.push(Named { name: name.clone(), direction, dtype, shape });
    }
    for (list, read) in [(&args.input, true), (&args.init, false)] {
        for (name, path) in list {
            let direction = match (read, written(name)) {
                (true, false) => Direction::In,
                (true, true) => Direction::InOut,
                (false, _) => Direction::Out,
            };
            if let Some(there) = arrays.iter_mut().find(|a| a.name == *name) {
                there.direction = direction;
                continue;
            }
            arrays.push(Named::of(name, direction, &read_array(Path::new(path), None)?));
        }
    }
    Ok(arrays)
}

/// `128,64`; nothing for a scalar.
fn numbers(text: &str) -> Option<Vec<u64>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split([',', 'x']).map(|n| n.trim().parse().ok()).collect()
}

fn read_array(path: &Path, wanted: Option<DType>) -> Result<Array> {
    let bytes = std::fs::read(path).map_err(|error| {
        let text = format!("cannot read `{}`: {error}", path.display());
        Failure::one(Diagnostic::error(codes::UNREADABLE_FILE, text))
    })?;
    npy::read(&bytes, wanted).map_err(|error| {
        Failure::one(Diagnostic::error(codes::OPERAND_MISFIT, format!("`{}`: {error}", path.display())))
    })
}

/// The index of an operand that an option names.
fn operand(manifest: &Manifest, option: &str, name: &str) -> Result<usize> {
    manifest.operand(name).ok_or_else(|| {
        let names: Vec<&str> = manifest.operands.iter().map(|o| o.name.as_str()).collect();
        let near = names.iter().find(|n| edit_distance(n, name) == 1 && name.len() > 1);
        let advice = match near {
            Some(near) => format!("; did you mean `{near}`?"),
            None if names.is_empty() => "; it has none".to_owned(),
            None => format!("; it has {}", names.join(", ")),
        };
        Failure::Usage(format!("{option} {name}: `{}` has no operand of this name{advice}", manifest.kernel))
    })
}

/// The launch with its arrays.
fn fill<'a>(args: &RunArgs, texts: &Texts, loaded: &'a Loaded) -> Result<Run<'a>> {
    let manifest = &loaded.manifest;
    let refused = |error| Failure::one(texts.manifest_error(&error, loaded.file));
    let mut run = Run::new(manifest, &loaded.module).map_err(|errors| {
        Failure::Found(errors.iter().map(|error| texts.manifest_error(error, loaded.file)).collect())
    })?;
    for (option, list) in [("--out", &args.output), ("--expect", &args.expect)] {
        for (name, _) in list {
            let index = operand(manifest, option, name)?;
            if manifest.operands[index].direction == Direction::In {
                return Err(Failure::Usage(format!("{option} {name}: the kernel only reads `{name}`")));
            }
        }
    }
    for (name, text) in &args.shape {
        let index = operand(manifest, "--shape", name)?;
        let shape = numbers(text.split_once(':').map_or(text.as_str(), |(_, shape)| shape));
        let Some(shape) = shape else {
            return Err(Failure::Usage(format!("--shape {name}={text}: extents are wanted, as in 128,64")));
        };
        run.set_shape(index, shape).map_err(refused)?;
    }
    for (option, list) in [("--in", &args.input), ("--init", &args.init)] {
        for (name, path) in list {
            let index = operand(manifest, option, name)?;
            let o = &manifest.operands[index];
            if option == "--in" && o.direction == Direction::Out {
                return Err(Failure::Usage(format!(
                    "--in {name}: the kernel writes `{name}`; --init {name}={path} says what is in it before"
                )));
            }
            let array = read_array(Path::new(path), Some(o.dtype))?;
            run.set(index, array).map_err(refused)?;
        }
    }
    for (name, text) in &args.scalar {
        run.set_scalar(name, text).map_err(|error| match error.path.is_empty() {
            true => Failure::Usage(format!("--scalar {name}={text}: {error}")),
            false => refused(error),
        })?;
    }
    // Without a manifest the grid went into the one that was made.
    if let Some(grid) = args.grid.filter(|_| loaded.file.is_some()) {
        run.set_grid(grid).map_err(refused)?;
    }
    if let Some(seed) = args.random_inputs {
        run.randomise(seed).map_err(refused)?;
    }
    let missing: Vec<String> = run
        .missing()
        .iter()
        .map(|&i| {
            let o = &manifest.operands[i];
            match o.shape.is_empty() {
                true => format!("--scalar {}=NUMBER ({})", o.name, o.dtype.name()),
                false => format!("--in {}=FILE.npy ({})", o.name, o.dtype.name()),
            }
        })
        .collect();
    if !missing.is_empty() {
        return Err(Failure::Usage(format!(
            "`{}` reads what nobody has given: {}; --random-inputs makes them up",
            manifest.kernel,
            missing.join(", ")
        )));
    }
    Ok(run)
}

/// What several runs come to.
#[derive(Default)]
struct Tally {
    counts: Counts,
    time: Duration,
}

fn runs(
    args: &RunArgs,
    texts: &mut Texts,
    loaded: &Loaded,
    run: &Run<'_>,
    plans: &[Plan],
) -> Result<(Vec<Diagnostic>, Vec<String>)> {
    let options = RunOptions {
        config: Config {
            races: !args.no_races,
            uninitialised: !args.no_uninitialised,
            fuel: args.fuel.unwrap_or(u64::MAX),
            max_findings: args.limit.max(1),
        },
        threads: args.threads.unwrap_or_else(|| RunOptions::default().threads).max(1),
        stop_early: true,
    };
    let mut found = Vec::new();
    let mut lines = Vec::new();
    let mut tally = Tally::default();
    let mut first: Option<(Prepared, &Plan)> = None;
    for plan in plans {
        let refused = |error| Failure::one(texts.manifest_error(&error, loaded.file));
        let mut prepared = run.prepare().map_err(refused)?;
        let recorder = Recorder::default();
        let schedule = |cluster: u64| -> Box<dyn Schedule> {
            let schedule = plan.of(cluster);
            if args.record.is_some() { recorder.record(cluster, schedule) } else { schedule }
        };
        let clusters = prepared.clusters();
        let gauge = Gauge::default();
        let start = Instant::now();
        let outcome = progress::watch(clusters, &loaded.manifest.kernel, &gauge, || {
            prepared.run(&options, &gauge, &schedule)
        });
        let outcome = outcome.map_err(refused)?;
        tally.time += start.elapsed();
        tally.counts.instructions += outcome.report.counts.instructions;
        tally.counts.lanes += outcome.report.counts.lanes;
        if first.is_none() || !outcome.report.findings.is_empty() {
            printed(args, &outcome.output)?;
        }
        let stop = !outcome.report.findings.is_empty();
        if let Some(path) = &args.record
            && (stop || first.is_none())
        {
            let text = format!("# {plan}\n{}", recorder.text());
            io::write(Some(path), text.as_bytes()).map_err(Failure::Usage)?;
        }
        for (finding, record) in outcome.report.findings.iter().take(args.limit) {
            let mut diagnostic = texts.finding(&loaded.module.code, finding, clusters);
            if !matches!(plan, Plan::RoundRobin) {
                diagnostic = diagnostic.note(format!("under `{plan}`, which shows it again"));
            }
            let record = record.to_string();
            if args.record.is_some() {
                let text = args.record.as_deref().map_or_else(String::new, |path| path.display().to_string());
                diagnostic = diagnostic.help(format!("`--replay {text}` runs this schedule again"));
            } else if matches!(plan, Plan::Random(_)) && record.len() <= 200 {
                let cluster = finding.cluster;
                diagnostic = diagnostic
                    .help(format!("`--replay 'cluster {cluster}: {record}'` runs it again in any version"));
            }
            found.push(diagnostic);
        }
        if stop {
            break;
        }
        match &first {
            None => first = Some((prepared, plan)),
            Some((before, other)) => found.extend(differs(before, other, &prepared, plan)),
        }
    }
    if !found.iter().any(Diagnostic::is_error)
        && let Some((prepared, _)) = &first
    {
        finish(args, loaded, prepared, &mut found, &mut lines)?;
    }
    if args.stats {
        let seconds = tally.time.as_secs_f64();
        let rate = tally.counts.instructions as f64 / seconds.max(1e-9) / 1e6;
        lines.push(format!(
            "{} warp instructions, {} of lanes, {seconds:.3} s, {rate:.2} M warp instructions a second",
            tally.counts.instructions, tally.counts.lanes
        ));
    }
    if !found.iter().any(Diagnostic::is_error) {
        let dims = first.as_ref().map_or([1; 3], |(p, _)| p.launch.dims.grid);
        let blocks: u64 = dims.iter().map(|&n| u64::from(n)).product();
        let plural = |n: u64, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
        lines.push(format!(
            "`{}` ran to its end: {}, {}",
            loaded.manifest.kernel,
            plural(blocks, "block"),
            plural(plans.len() as u64, "schedule")
        ));
    }
    Ok((found, lines))
}

/// What the kernel printed goes to standard output, unless the report goes there.
fn printed(args: &RunArgs, output: &[u8]) -> Result<()> {
    if output.is_empty() {
        return Ok(());
    }
    if args.format == Format::Human {
        return io::write(None, output).map_err(Failure::Usage);
    }
    say(String::from_utf8_lossy(output).trim_end());
    Ok(())
}

/// Whether two runs gave other outputs.
fn differs(before: &Prepared, other: &Plan, after: &Prepared, plan: &Plan) -> Option<Diagnostic> {
    let exact = Tolerance { relative: 0.0, absolute: 0.0, equal_nan: true };
    for ((name, a), (_, b)) in before.outputs().iter().zip(&after.outputs()) {
        let compared = compare(a, b, exact);
        if let Some((at, x, y, _)) = compared.worst {
            let text = format!(
                "`{name}` depends on the schedule: {} of {} elements differ between two runs, most at {:?}: {x} and {y}",
                compared.of_which_differ(a, b),
                compared.of,
                a.index(at)
            );
            return Some(
                Diagnostic::new(codes::SCHEDULE_DEPENDENT, text)
                    .note(format!("the runs are `{other}` and `{plan}`")),
            );
        }
    }
    None
}

/// Holds the outputs against what is expected, and writes them.
fn finish(
    args: &RunArgs,
    loaded: &Loaded,
    prepared: &Prepared,
    found: &mut Vec<Diagnostic>,
    lines: &mut Vec<String>,
) -> Result<()> {
    let manifest = &loaded.manifest;
    for (index, o) in manifest.operands.iter().enumerate() {
        if o.direction == Direction::Out
            && let Some(at) = prepared.unwritten(index)
        {
            let text =
                format!("the kernel has not written all of `{}`: the first element left is {at:?}", o.name);
            found.push(Diagnostic::new(codes::OUTPUT_UNWRITTEN, text));
        }
    }
    let tolerance = Tolerance { relative: args.rtol, absolute: args.atol, equal_nan: args.equal_nan };
    for (name, path) in &args.expect {
        let index = operand(manifest, "--expect", name)?;
        let Some(got) = prepared.array(index) else { continue };
        let want = read_array(Path::new(path), Some(got.dtype))?;
        if want.shape != got.shape {
            let text = format!(
                "`{path}` has the shape {}, `{name}` has {}",
                shape_text(&want.shape),
                shape_text(&got.shape)
            );
            found.push(Diagnostic::new(codes::OPERAND_MISFIT, text));
            continue;
        }
        let compared = compare(&got, &want, tolerance);
        let worst = compared
            .worst
            .map(|(at, x, y, by)| (format!("at {:?} it is {x}, and {y} is expected", got.index(at)), by));
        match worst {
            Some((text, by)) if compared.wrong > 0 => {
                let message = format!(
                    "`{name}` is not what `{path}` has: {} of {} elements are off, by {by} at most",
                    compared.wrong, compared.of
                );
                let diagnostic = Diagnostic::new(codes::OUTPUT_MISMATCH, message).note(text);
                found.push(diagnostic.note(format!("--rtol {} --atol {}", args.rtol, args.atol)));
            }
            Some((text, by)) => lines.push(format!("`{name}` is what is expected, within {by}: {text}")),
            None => lines.push(format!("`{name}` is what is expected, to the last bit")),
        }
    }
    if found.iter().any(Diagnostic::is_error) {
        return Ok(());
    }
    // Everything is made before anything is written.
    let mut files = Vec::new();
    for (name, path) in &args.output {
        let index = operand(manifest, "--out", name)?;
        let Some(array) = prepared.array(index) else { continue };
        files.push((path, npy::write(&array).map_err(Failure::Usage)?));
    }
    for (path, bytes) in files {
        io::write(Some(Path::new(path)), &bytes).map_err(Failure::Usage)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tidegate::ir::diag::codes;
    use tidegate::machine::finding::Code;

    #[test]
    fn the_codes_of_the_machine_are_in_the_table() {
        for &code in Code::ALL {
            let known = codes::Code::lookup(code.as_str());
            assert_eq!(known.map(codes::Code::title), Some(code.title()), "{code}");
        }
        let rows = codes::all().filter(|row| row.id.starts_with("TG10")).count();
        assert_eq!(rows, Code::ALL.len());
    }
}
