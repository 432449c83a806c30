//! Rules that the compiler cannot check: who may depend on whom, how long a file may be, what must not be
//! written in the repository, who may open files by path.

mod edges;
mod files;
mod reads;

use anyhow::bail;

pub(crate) fn run() -> anyhow::Result<()> {
    let mut wrong = edges::check()?;
    wrong.extend(files::check()?);
    if !wrong.is_empty() {
        bail!("the tree is not tidy:\n  {}", wrong.join("\n  "));
    }
    println!("── tidy: edges and files are fine");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        super::run().expect("see `cargo xtask tidy`");
    }
}
