//! `TG05xx`: roles and synchronisation.

codes! {
    static ROWS_05;

    BLOCK_SYNC_IN_ROLE = "TG0501", Error, "block-wide synchronisation inside a role", "";
    CLUSTER_SYNC_IN_ROLE = "TG0502", Error, "cluster-wide synchronisation inside a role", "";
    ROLE_WARPS = "TG0503", Error, "roles do not cover the warps of the block", "";
    REGISTER_BUDGET = "TG0504", Error, "register budget exceeded", "";
    MAX_REGISTERS_FORM = "TG0505", Error, "invalid register count for setmaxnreg", "";
    NEEDS_WARPGROUP = "TG0506", Error, "operation needs a whole warpgroup", "";
    ROLE_STRUCTURE = "TG0507", Error, "roles nested or named twice", "";
    UNKNOWN_AXIS = "TG0508", Error, "unknown axis", "";
}
