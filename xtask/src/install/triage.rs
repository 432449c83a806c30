//! What tests of security findings read and run: schemas of reports, and a tool that writes one.

use std::fs;

use anyhow::Context;

use super::Tools;
use crate::shell::{command, step};

/// Packages that carry a schema: the package, what is taken out of it, and how that is called here.
const SCHEMAS: [(&str, &[&str], &str, &str); 2] = [
    (
        "sarif-pydantic==0.6.2",
        &["--no-binary", ":all:"],
        "sarif-schema-2.1.0.json",
        "sarif-schema-2.1.0.json",
    ),
    ("osv==0.0.22", &[], "validation/schema.json", "osv-schema.json"),
];

/// Takes the member of an archive whose name ends so, whichever kind of archive it is.
const UNPACK: &str = "
import sys, tarfile, zipfile
archive, end, out = sys.argv[1:]
if zipfile.is_zipfile(archive):
    with zipfile.ZipFile(archive) as opened:
        data = opened.read(next(name for name in opened.namelist() if name.endswith(end)))
else:
    with tarfile.open(archive) as opened:
        data = opened.extractfile(next(one for one in opened if one.name.endswith(end))).read()
open(out, 'wb').write(data)
";

pub(super) fn schemas(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("schemas");
    let installed = folder.join("installed");
    let wanted: String = SCHEMAS.iter().map(|(package, ..)| format!("{package}\n")).collect();
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    fs::remove_dir_all(&folder).ok();
    let program = tools.folder.join("python/bin/python");
    for (at, (package, how, member, name)) in SCHEMAS.iter().enumerate() {
        let archives = folder.join(at.to_string());
        let quiet = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
        let mut download = command(&program, &quiet);
        download.args(*how).arg(package).arg("--dest").arg(&archives);
        step(&format!("download {package}"), &mut download)?;
        let archive = fs::read_dir(&archives)?.next().context("nothing was downloaded")??.path();
        let mut unpack = command(&program, &["-c", UNPACK]);
        unpack.arg(archive).arg(member).arg(folder.join(name));
        step(&format!("unpack {name}"), &mut unpack)?;
    }
    fs::write(installed, wanted)?;
    Ok(())
}

/// In a folder of its own: it needs other versions of what the tests need, too.
const PIP_AUDIT: &str = "pip-audit==2.10.1";

pub(super) fn pip_audit(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("pip-audit");
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|found| found == PIP_AUDIT) {
        return Ok(());
    }
    fs::remove_dir_all(&folder).ok();
    let program = tools.folder.join("python/bin/python");
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PIP_AUDIT, "--target"];
    step("install pip-audit", command(&program, &quiet).arg(&folder))?;
    fs::write(installed, PIP_AUDIT)?;
    Ok(())
}
