//! What tests of security findings read and run: schemas of reports, and tools that write them.

use std::fs;

use anyhow::Context;

use super::{Tools, by_cargo};
use crate::shell::{command, step};

/// Packages that carry a schema: the package, what is taken out of it, and how that is called here.
const SCHEMAS: [(&str, &[&str], &str, &str); 3] = [
    (
        "sarif-pydantic==0.6.2",
        &["--no-binary", ":all:"],
        "sarif-schema-2.1.0.json",
        "sarif-schema-2.1.0.json",
    ),
    ("osv==0.0.22", &[], "validation/schema.json", "osv-schema.json"),
    // The model from which clients of AWS are made.
    ("botocore==1.44.0", &[], "inspector2/2020-06-08/service-2.json.gz", "inspector2.json"),
];

/// Takes the member of an archive whose name ends so, whichever kind of archive it is.
const UNPACK: &str = r"
import gzip, sys, tarfile, zipfile
archive, end, out = sys.argv[1:]
if zipfile.is_zipfile(archive):
    with zipfile.ZipFile(archive) as opened:
        data = opened.read(next(name for name in opened.namelist() if name.endswith(end)))
else:
    with tarfile.open(archive) as opened:
        data = opened.extractfile(next(one for one in opened if one.name.endswith(end))).read()
if end.endswith('.gz'):
    data = gzip.decompress(data)
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
        fs::remove_dir_all(&archives).ok();
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

const CARGO_AUDIT: &str = "0.22.2";

/// Nobody measures it, so that it is compiled as quickly as can be; what reads programs instead of lock files is left out.
pub(super) fn cargo_audit(tools: &Tools) -> anyhow::Result<()> {
    by_cargo(tools, "cargo-audit", "cargo-audit", CARGO_AUDIT, |install| {
        install.arg("--no-default-features");
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
        install.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256");
    })
}
