//! Why nothing moves: who waits for what, what is missing, who could have brought it and where those are.

use crate::finding::{Code, Finding};
use crate::hardware::{AgentId, Hardware, Wait, WaitOn};
use crate::memory::split_shared;
use smallvec::SmallVec;

type Waits = [(AgentId, SmallVec<[Wait; 2]>)];

/// Agents that wait at one place for one thing.
struct Waiting {
    wait: Wait,
    agents: Vec<(AgentId, u32)>,
}

fn grouped(waits: &Waits) -> Vec<Waiting> {
    let mut out: Vec<Waiting> = Vec::new();
    for (agent, list) in waits {
        for wait in list {
            let same = |w: &&mut Waiting| w.wait.on == wait.on && w.wait.actor.place == wait.actor.place;
            match out.iter_mut().find(same) {
                Some(w) => w.agents.push((*agent, wait.actor.lanes)),
                None => out.push(Waiting { wait: *wait, agents: vec![(*agent, wait.actor.lanes)] }),
            }
        }
    }
    out
}

/// "warps 0 to 3 of block (0,0,0)", "lane 0 of warp 4 of block (0,0,0)"
fn names(hw: &Hardware, agents: &[(AgentId, u32)]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut i = 0;
    while i < agents.len() {
        let (first, lanes) = agents[i];
        let state = hw.agent(first);
        let whole = |(a, l): (AgentId, u32)| l & hw.agent(a).live == hw.agent(a).live;
        let mut j = i + 1;
        while j < agents.len() {
            let next = hw.agent(agents[j].0);
            let follows = next.rank == state.rank && next.index == hw.agent(agents[j - 1].0).index + 1;
            if !follows || !whole(agents[j]) || !whole(agents[i]) {
                break;
            }
            j += 1;
        }
        if j - i > 1 {
            let last = hw.agent(agents[j - 1].0).index;
            let block = hw.blocks.get(state.rank as usize).map_or([0; 3], |b| b.ctaid);
            out.push(format!(
                "warps {} to {last} of block ({},{},{})",
                state.index, block[0], block[1], block[2]
            ));
        } else if whole(agents[i]) {
            out.push(state.name.clone());
        } else {
            out.push(hw.who(first, lanes));
        }
        i = j;
    }
    out.join(", ")
}

/// What a wait is for, in words.
fn what(hw: &Hardware, wait: &Wait) -> String {
    match wait.on {
        WaitOn::Mbarrier { barrier, phase, .. } => {
            format!("phase {phase} (parity {}) of {}", phase & 1, hw.barrier_name(barrier))
        }
        WaitOn::Named { id, .. } => format!("named barrier {id}"),
        WaitOn::Cluster { .. } => "the barrier of the cluster".to_owned(),
        WaitOn::Groups { kind, allow, reads, .. } => {
            let reads = if reads { " to have been read" } else { "" };
            format!("all but {allow} of its {kind:?} groups{reads}")
        }
        WaitOn::Lanes { missing } => {
            format!(
                "lanes {} of its warp to come to the same instruction",
                crate::hardware::lane_list(missing)
            )
        }
        WaitOn::TensorColumns { columns } => format!("{columns} free columns of tensor memory"),
        WaitOn::Poll => "a value in memory to change".to_owned(),
    }
}

/// What is missing for a wait to pass.
fn missing(hw: &Hardware, wait: &Wait) -> Vec<String> {
    let mut out = Vec::new();
    match wait.on {
        WaitOn::Mbarrier { barrier, phase, .. } => {
            let (rank, offset) = split_shared(barrier);
            let Some(slot) = hw.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset)) else {
                return out;
            };
            let s = &slot.state;
            let name = hw.barrier_name(barrier);
            let mut line = format!("{name} is in phase {}", s.phase());
            if s.phase() > phase + 1 {
                line += &format!(": phase {phase} has passed, and so has the next: the waiter was lapped");
            }
            let made = s.expected().saturating_sub(s.pending());
            line += &match s.pending() {
                0 => format!("; all {} arrivals were made", s.expected()),
                p => format!("; {made} of {} arrivals were made, {p} are missing", s.expected()),
            };
            line += &match s.tx_count() {
                0 => "; no bytes are outstanding".to_owned(),
                tx if tx > 0 => format!("; {tx} bytes are outstanding"),
                tx => format!("; {} bytes came that nobody has expected", -tx),
            };
            out.push(line);
            if slot.arrivals.is_empty() && slot.paid.is_empty() {
                out.push(format!("nobody ever arrived on {name}, and nothing was paid on it"));
            }
            for op in hw.engine.in_flight() {
                if op.done.iter().any(|d| matches!(d, crate::engine::Done::Bytes { barrier: b, .. } | crate::engine::Done::Arrive { barrier: b, .. } if *b == barrier)) {
                    out.push(format!("a {} of {} for it is in flight", op.what, hw.agent(op.agent).name));
                }
            }
        }
        WaitOn::Named { id, .. } => out.extend(hw.named_missing(wait.actor, id)),
        WaitOn::Cluster { .. } => out.extend(hw.cluster_missing()),
        _ => {}
    }
    out
}

/// The agents that could bring what a wait lacks, by what they did before.
fn helpers(hw: &Hardware, wait: &Wait) -> Vec<AgentId> {
    let mut out = Vec::new();
    match wait.on {
        WaitOn::Mbarrier { barrier, .. } => {
            let (rank, offset) = split_shared(barrier);
            if let Some(slot) = hw.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset)) {
                let arrivals = if slot.state.pending() > 0 { &slot.arrivals } else { &slot.paid };
                for a in arrivals {
                    if !out.contains(&a.agent) {
                        out.push(a.agent);
                    }
                }
            }
        }
        WaitOn::Named { id, .. } => out = hw.named_absent(wait.actor, id),
        WaitOn::Cluster { .. } => out = hw.cluster_absent(),
        _ => {}
    }
    out
}

/// Adds where each agent is.
pub(crate) fn whereabouts(hw: &Hardware, waits: &Waits, mut finding: Finding) -> Finding {
    for w in grouped(waits) {
        let names = names(hw, &w.agents);
        let verb = if w.agents.len() > 1 { "wait" } else { "waits" };
        let text = match w.wait.on {
            WaitOn::Poll => format!("{names} {verb} here, asking again and again"),
            _ => format!("{names} {verb} here for {}", what(hw, &w.wait)),
        };
        finding = finding.at(w.wait.actor.place, text);
    }
    finding
}

/// The finding for a cluster in which nothing can move.
pub(crate) fn explain(hw: &Hardware, waits: &Waits) -> Finding {
    let groups = grouped(waits);
    let message = match groups.first() {
        Some(w) if groups.len() == 1 => {
            let agents = names(hw, &w.agents);
            let verb = if w.agents.len() > 1 { "wait" } else { "waits" };
            format!("the kernel hangs: {agents} {verb} for {}, which never comes", what(hw, &w.wait))
        }
        _ if groups.len() <= 3 => {
            let all: Vec<String> = groups.iter().map(|w| names(hw, &w.agents)).collect();
            format!("the kernel hangs: {} wait, and none can go on", all.join(" and "))
        }
        _ => format!("the kernel hangs: {} warps wait, and none can go on", waits.len()),
    };
    let mut finding = whereabouts(hw, waits, Finding::new(Code::Deadlock, message));
    let mut said: Vec<String> = Vec::new();
    for w in &groups {
        for line in missing(hw, &w.wait) {
            if !said.contains(&line) {
                said.push(line);
            }
        }
        let mut helpers: Vec<(AgentId, u32)> =
            helpers(hw, &w.wait).into_iter().map(|a| (a, hw.agent(a).lanes)).collect();
        helpers.sort();
        helpers.dedup();
        let ended: Vec<_> = helpers.iter().copied().filter(|(a, _)| hw.agent(*a).live == 0).collect();
        if !ended.is_empty() {
            let line = format!("{} arrived on it before, and ended", names_ended(hw, &ended));
            if matches!(w.wait.on, WaitOn::Mbarrier { .. }) && !said.contains(&line) {
                said.push(line);
            }
        }
    }
    if let Some(cycle) = cycle(hw, waits) {
        said.push(cycle);
    }
    for line in said {
        finding = finding.note(line);
    }
    let parity = groups.iter().find_map(|w| fresh_parity(hw, &w.wait));
    if let Some(help) = parity {
        finding = finding.help(help);
    }
    finding
}

fn names_ended(hw: &Hardware, agents: &[(AgentId, u32)]) -> String {
    let names: Vec<_> = agents.iter().take(6).map(|(a, _)| hw.agent(*a).name.clone()).collect();
    let more = if agents.len() > 6 { format!(" and {} more", agents.len() - 6) } else { String::new() };
    names.join(", ") + &more
}

/// Waiting for phase 0 of a barrier on which nobody ever arrived: the first lap of a ring, mostly.
fn fresh_parity(hw: &Hardware, wait: &Wait) -> Option<String> {
    let WaitOn::Mbarrier { barrier, phase: 0, .. } = wait.on else { return None };
    let (rank, offset) = split_shared(barrier);
    let slot = hw.blocks.get(rank as usize)?.barriers.get(offset)?;
    let untouched = slot.arrivals.is_empty() && slot.paid.is_empty();
    let name = hw.barrier_name(barrier);
    untouched.then(|| {
        format!("if {name} says that a slot is free: on a fresh barrier a wait for parity 1 passes at once, so start there, or leave the wait out in the first lap")
    })
}

/// A waiter that has not seen the phase before the one that it waits for: it looked too late.
fn missed(hw: &Hardware, wait: &Wait) -> Option<Finding> {
    let WaitOn::Mbarrier { barrier, phase, .. } = wait.on else { return None };
    let (rank, offset) = split_shared(barrier);
    let slot = hw.blocks.get(rank as usize)?.barriers.get(offset)?;
    let seen = slot.seen.iter().find(|s| s.0 == wait.actor.agent).map_or(0, |s| s.1);
    // Of two phases of one parity the earlier is meant, if both came after what the waiter saw last.
    if seen >= phase || slot.state.phase() != phase {
        return None;
    }
    let who = hw.who(wait.actor.agent, wait.actor.lanes);
    let name = hw.barrier_name(barrier);
    let before = if seen == 0 { "none of its phases".to_owned() } else { format!("phase {} last", seen - 1) };
    let message = format!(
        "{who} saw {before} of {name}, which is in phase {phase}: phases passed before it looked, and it waits for another one of that parity"
    );
    Some(
        Finding::new(Code::Lapped, message)
            .at(wait.actor.place, "waits here")
            .help("whoever fills the next phase has to know that all waiters have seen the last: a second barrier from the waiters back"),
    )
}

/// Findings beside the hang itself: waiters that were lapped.
pub(crate) fn missed_phases(hw: &Hardware, waits: &Waits) -> Vec<Finding> {
    waits.iter().flat_map(|(_, list)| list).filter_map(|wait| missed(hw, wait)).collect()
}

/// "warp 0 waits for warp 4, which waits for warp 0".
fn cycle(hw: &Hardware, waits: &Waits) -> Option<String> {
    let on = |agent: AgentId| waits.iter().find(|(a, _)| *a == agent).and_then(|(_, w)| w.first());
    for (start, _) in waits {
        let mut path = vec![*start];
        let mut at = *start;
        while let Some(wait) = on(at) {
            let next = helpers(hw, wait).into_iter().find(|h| *h != at && on(*h).is_some());
            let Some(next) = next else { break };
            if let Some(from) = path.iter().position(|a| *a == next) {
                let names: Vec<_> = path[from..].iter().map(|a| hw.agent(*a).name.clone()).collect();
                let first = names.first().cloned().unwrap_or_default();
                return Some(format!("a cycle: {} waits for {first}", names.join(" waits for ")));
            }
            path.push(next);
            at = next;
        }
    }
    None
}

/// Reports waiters whose phase has passed twice while they did not look.
pub(crate) fn lapped(hw: &mut Hardware, waits: &[Wait]) {
    for wait in waits {
        let WaitOn::Mbarrier { barrier, phase, .. } = wait.on else { continue };
        let (rank, offset) = split_shared(barrier);
        let now = hw.blocks.get(rank as usize).and_then(|b| b.barriers.get(offset)).map(|s| s.state.phase());
        let Some(now) = now.filter(|&n| n > phase + 1 && (n - phase) % 2 == 0) else { continue };
        let who = hw.who(wait.actor.agent, wait.actor.lanes);
        let name = hw.barrier_name(barrier);
        let message = format!(
            "{who} waits for phase {phase} of {name}, which is in phase {now} before it could look: it was lapped"
        );
        let finding = Finding::new(Code::Lapped, message)
            .at(wait.actor.place, "waits here")
            .help("whoever fills the next phase has to know that all waiters have seen the last: a second barrier from the waiters back");
        hw.report(finding);
    }
}
