//! Which file is meant, may it be read, and in which project is it?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::error::cut;
use orienteer_base::{ErrorKind, PathError, Problem, RootedPath, Roots};
use orienteer_engine::Session;
use orienteer_engine::check::python_root;

use super::settings::Settings;
use crate::elsewhere::Lent;
use crate::tool::Ctx;

/// A file or folder with the session of its project.
#[derive(Debug)]
pub(super) struct Opened {
    /// Held as long as the call runs: the pool does not close it meanwhile.
    pub(super) session: Lent,
    pub(super) path: RootedPath,
}

pub(super) fn settings(ctx: &Ctx) -> Result<Arc<Settings>, Problem> {
    // They are read with every configuration of this dialect.
    ctx.settings::<Settings>()
        .ok_or_else(|| Problem::new(ErrorKind::InternalError, "the settings of the dialect were not read"))
}

/// A file.
pub(super) async fn file(ctx: &Ctx, written: &str) -> Result<Opened, Problem> {
    let opened = open(ctx, written, "File").await?;
    Ok(Opened { path: opened.path.require_file()?, ..opened })
}

/// A file or a folder; `noun` is what it is called when it is not there.
pub(super) async fn open(ctx: &Ctx, written: &str, noun: &'static str) -> Result<Opened, Problem> {
    let settings = settings(ctx)?;
    let (asked, router) = (written.to_owned(), ctx.router.clone());
    let found = tokio::task::spawn_blocking(move || {
        let config = router.config();
        let ours = || config.restricted.then(|| config.roots.all().map(Path::to_owned).collect());
        let allowed = settings.allowed.clone().or_else(ours);
        let (path, roots) = resolve(&asked, allowed.as_deref(), noun)?;
        let root = python_root(&path, &roots, settings.home.as_deref());
        // What the server of an open workspace has named, such as the standard library, is that workspace's.
        let named = |session: &Session| session.resolve(&asked).is_ok_and(|path| path.is_named());
        let host = router.elsewhere().and_then(|elsewhere| elsewhere.find(named));
        Ok::<_, Problem>((path, host.unwrap_or(root)))
    });
    let (path, root) = found.await.map_err(|error| {
        Problem::new(ErrorKind::InternalError, format!("the path could not be looked at: {error}"))
    })??;
    let session = ctx.session_at(root).await?;
    let path = session.roots().named(&path).ok_or_else(|| missing(written, noun))?;
    Ok(Opened { session, path })
}

/// The canonical path and the folders that may be read around it.
fn resolve(
    written: &str,
    allowed: Option<&[PathBuf]>,
    noun: &'static str,
) -> Result<(PathBuf, Roots), Problem> {
    if !Path::new(written).is_absolute() && !written.trim().is_empty() {
        let message = format!("Path must be absolute: {}", cut(written));
        return Err(Problem::new(ErrorKind::InvalidParams, message).detail("relative_path"));
    }
    let refused = || {
        let allowed: Vec<String> =
            allowed.unwrap_or_default().iter().map(|path| path.display().to_string()).collect();
        let message =
            format!("Path not in allowed workspace: {}\nAllowed paths: {}", cut(written), allowed.join(", "));
        Problem::new(ErrorKind::PathNotAllowed, message)
    };
    let roots = match allowed {
        Some(allowed) => {
            let mut existing = allowed.iter().filter(|path| path.is_dir()).cloned();
            let first = existing.next().ok_or_else(refused)?;
            Roots::new(&first, &existing.collect::<Vec<_>>())?
        }
        // Everything below the root of the file system, or of the drive.
        None => Roots::new(Path::new(written).ancestors().last().unwrap_or(Path::new(written)), &[])?,
    };
    match roots.resolve(written) {
        Ok(path) => match unreadable(path.absolute()) {
            Some(error) => Err(PathError::Io { path: cut(written), error }.into()),
            None => Ok((path.absolute().to_owned(), roots)),
        },
        Err(PathError::NotFound { .. }) => Err(missing(written, noun)),
        Err(PathError::OutsideRoots { .. } | PathError::SymlinkEscape { .. }) => {
            // Without a restriction only a link that leads nowhere gets here.
            Err(if allowed.is_some() { refused() } else { missing(written, noun) })
        }
        Err(error) => Err(error.into()),
    }
}

/// Why it cannot be read. pyright's command line calls a file that it may not read a finding, and a folder empty.
fn unreadable(path: &Path) -> Option<std::io::Error> {
    let kind = std::fs::metadata(path).ok()?;
    if kind.is_dir() {
        return std::fs::read_dir(path).err();
    }
    // To open anything else may wait for ever.
    if kind.is_file() { std::fs::File::open(path).err() } else { None }
}

fn missing(written: &str, noun: &str) -> Problem {
    Problem::new(ErrorKind::NotFound, format!("{noun} not found: {}", cut(written))).detail("no_such_path")
}

#[cfg(test)]
mod tests {
    use super::super::envelope::code;
    use super::*;

    fn refused(written: &str, allowed: Option<&[PathBuf]>) -> (&'static str, String) {
        let problem = resolve(written, allowed, "File").unwrap_err();
        (code(&problem), problem.message)
    }

    #[test]
    fn paths_are_absolute_and_exist() {
        for written in ["a.py", "./a.py", "../a.py"] {
            assert_eq!(refused(written, None), ("invalid_path", format!("Path must be absolute: {written}")));
        }
        assert_eq!(refused("", None).0, "invalid_path");
        assert_eq!(
            refused("/no/such.py", None),
            ("file_not_found", "File not found: /no/such.py".to_owned())
        );
        assert_eq!(refused("/tmp/a\0b.py", None).0, "invalid_path");
        assert_eq!(refused(&format!("/{}", "x".repeat(5_000)), None).0, "invalid_path");
    }

    #[test]
    fn what_is_not_allowed_is_refused_whether_or_not_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        for name in ["in", "out"] {
            std::fs::create_dir(root.join(name)).unwrap();
            std::fs::write(root.join(name).join("a.py"), "").unwrap();
        }
        let allowed = [root.join("in"), root.join("later")];
        let path = |name: &str| root.join(name).display().to_string();
        assert!(resolve(&path("in/a.py"), Some(&allowed), "File").is_ok());
        let (code, message) = refused(&path("out/a.py"), Some(&allowed));
        assert_eq!(code, "path_not_allowed");
        assert!(
            message.starts_with("Path not in allowed workspace: ") && message.contains("\nAllowed paths: ")
        );
        assert_eq!(refused(&path("out/nothing.py"), Some(&allowed)).0, "path_not_allowed");
        assert_eq!(refused(&path("in/../out/a.py"), Some(&allowed)).0, "path_not_allowed");
        assert_eq!(refused(&path("in/nothing.py"), Some(&allowed)).0, "file_not_found");
        assert_eq!(refused(&path("in/a.py"), Some(&[root.join("later")])).0, "path_not_allowed");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("out"), root.join("in/link")).unwrap();
            assert_eq!(refused(&path("in/link/a.py"), Some(&allowed)).0, "path_not_allowed");
        }
    }
}
