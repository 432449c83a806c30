//! `cargo xtask bench`.

pub(crate) fn run() -> anyhow::Result<()> {
    Ok(())
}
