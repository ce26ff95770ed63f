//! tidegate.
