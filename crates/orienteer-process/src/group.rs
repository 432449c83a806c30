//! How is a whole process group signalled without ever hitting a stranger?
//!
//! A group is a child, its leader, with everything that the child starts and that does not leave the
//! group on purpose. Both platforms offer the same three things:
//!
//! * `contain` puts a command that is about to be started into a group of its own.
//! * `ExitWatch` waits for the end of the leader.
//! * `Group` is the handle that ends the members.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{ExitWatch, Group, contain};
#[cfg(windows)]
pub(crate) use windows::{ExitWatch, Group, contain};
