//! Roles: the warps of a block, divided.

use super::body::Body;
use super::core::{Core, Region};
use super::registry::KernelId;
use super::sync::check_registers;
use crate::frontend::error::{BuildErrorKind, Site};

/// What a role is: its name and, where it is not one warpgroup, its warps.
///
/// `ws.role("consumer", …)` suffices for a warpgroup with the registers that the compiler gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: String,
    warps: Option<i64>,
    registers: Option<i64>,
    threads: Option<(String, i64)>,
}

impl Role {
    /// A role of one warpgroup.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), warps: None, registers: None, threads: None }
    }
    /// Makes it so many whole warps; 1 is usual for a role that only issues copies.
    #[must_use]
    pub fn warps(mut self, warps: i64) -> Self {
        self.warps = Some(warps);
        self
    }
    /// Sets the number of registers that each lane has: a multiple of 8 from 24 to 256.
    #[must_use]
    pub fn registers(mut self, registers: i64) -> Self {
        self.registers = Some(registers);
        self
    }
    /// Makes it several warpgroups, each a thread with its index on the axis of that name.
    #[must_use]
    pub fn threads(mut self, axis: impl Into<String>, count: i64) -> Self {
        self.threads = Some((axis.into(), count));
        self
    }
}

impl From<&str> for Role {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}
impl From<String> for Role {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// The roles of a kernel, while they are being described.
#[derive(Debug)]
pub struct Roles {
    id: KernelId,
    names: std::cell::RefCell<Vec<(String, Site)>>,
}

impl Roles {
    /// Describes a role.
    #[track_caller]
    pub fn role(&self, role: impl Into<Role>, body: impl FnOnce(&Body)) {
        let site = Site::here();
        let role = role.into();
        let inside = Body { id: self.id };
        let entered = inside.with(|core| {
            self.check(core, &role, site);
            if core.region() != Region::Roles {
                core.error(BuildErrorKind::NestedWarpSpecialize { region: core.region().name() }, site);
                return false;
            }
            let block = core.at(site, |b| {
                let name = b.module.attrs.str(&role.name);
                let warps = role.warps.map(|warps| b.module.i64_attr(warps));
                let registers = role.registers.map(|registers| b.module.i64_attr(registers));
                let axis = role.threads.as_ref().map(|threads| b.module.attrs.str(&threads.0));
                let count = role.threads.as_ref().map(|threads| b.module.i64_attr(threads.1));
                let op = b.tg_role(name, warps, axis, count, registers);
                b.body(op, 0, &[])
            });
            core.enter(block, Region::Role, role.threads.map(|threads| threads.0));
            true
        });
        body(&inside);
        if entered == Some(true) {
            inside.with(|core| {
                core.at(site, |b| b.tg_return(&[]));
                core.leave();
            });
        }
    }

    fn check(&self, core: &mut Core, role: &Role, site: Site) {
        if role.name.is_empty() {
            core.error(BuildErrorKind::EmptyName { what: "role" }, site);
        }
        if let Ok(mut names) = self.names.try_borrow_mut() {
            match names.iter().find(|known| known.0 == role.name) {
                Some(&(_, first)) => {
                    core.error(
                        BuildErrorKind::Again { what: format!("role \"{}\"", role.name), first },
                        site,
                    );
                }
                None => names.push((role.name.clone(), site)),
            }
        }
        if let Some(found) = role.warps.filter(|warps| !(1..=32).contains(warps)) {
            core.error(BuildErrorKind::RoleWarps { role: role.name.clone(), found }, site);
        }
        if let Some(registers) = role.registers {
            check_registers(core, registers, site);
        }
        if let Some((axis, count)) = &role.threads {
            if !(1..=8).contains(count) {
                core.error(BuildErrorKind::BlockThreads { found: *count }, site);
            }
            let taken = core.axes.iter().find(|known| known.name == *axis).map(|known| known.site);
            if let Some(first) = taken {
                core.error(BuildErrorKind::Again { what: format!("axis \"{axis}\""), first }, site);
            }
        }
    }
}

impl Body {
    /// Divides the warps of the block into roles that run concurrently; the code behind runs when all have ended.
    #[track_caller]
    pub fn warp_specialize(&self, describe: impl FnOnce(&Roles)) {
        let site = Site::here();
        let begun = self.with(|core| {
            let mut fine = true;
            if core.region() != Region::Kernel {
                core.error(BuildErrorKind::NestedWarpSpecialize { region: core.region().name() }, site);
                fine = false;
            } else if let Some(first) = core.roles {
                core.error(BuildErrorKind::Again { what: "`warp_specialize`".to_owned(), first }, site);
                fine = false;
            }
            if !fine {
                // What is wrong in the roles is still found, in a module that nobody gets.
                let block = core.module.create_block();
                core.enter(block, Region::Roles, None);
                return;
            }
            core.begin_roles(site);
            let block = core.at(site, |b| {
                let op = b.tg_warp_specialize();
                b.body(op, 0, &[])
            });
            core.enter(block, Region::Roles, None);
        });
        let roles = Roles { id: self.id, names: std::cell::RefCell::default() };
        describe(&roles);
        if begun.is_none() {
            return;
        }
        self.with(|core| {
            let block = core.scope().block;
            if core.module.first_op(block).is_none() {
                core.error(BuildErrorKind::NoRoles, site);
            }
            core.leave();
        });
    }
}
