//! What findings of each source are called. Decisions are kept by these names: one that changes loses them.

use std::collections::BTreeMap;

use orienteer_base::Cancel;
use orienteer_triage::{Ingest, ingest};
use serde_json::{Value, json};

use crate::shapes::{npm_report, osv};
use crate::shapes_code::{full, sarif};
use crate::support::{Place, generic};
use crate::{shapes_aws, shapes_dependabot};

fn named(report: &Value, meta: &[(&str, &str)]) -> Vec<String> {
    let meta: BTreeMap<String, String> =
        meta.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let place = Place::new();
    let wanted = Ingest { meta, ..Ingest::default() };
    let done = ingest(&place.store, report.to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
    assert_eq!(done.errors, 0, "{:?}", done.details);
    let snapshot = place.snapshot();
    done.ids.iter().map(|id| format!("{id} {}", snapshot.findings[id].finding.key)).collect()
}

#[test]
fn findings_of_every_source_are_called_as_they_always_were() {
    let mut bare = shapes_dependabot::rest(7, "open");
    for address in ["url", "html_url"] {
        bare.as_object_mut().unwrap().remove(address);
    }
    let mut unnumbered = bare.clone();
    unnumbered.as_object_mut().unwrap().remove("number");
    let cargo = json!({ "vulnerabilities": { "list": [
        { "advisory": { "id": "RUSTSEC-2020-0071" }, "package": { "name": "time", "version": "0.1.43" } }
    ] }, "warnings": { "yanked": [{ "kind": "yanked", "package": { "name": "old", "version": "2.0.0" } }] } });
    let pip = json!({ "dependencies": [
        { "name": "Flask", "version": "0.5", "vulns": [{ "id": "PYSEC-2019-179", "fix_versions": [] }] }
    ] });
    let scanned = json!({ "results": [{ "source": { "path": "app/Cargo.lock", "type": "lockfile" }, "packages": [
        { "package": { "name": "time", "version": "0.1.43", "ecosystem": "crates.io" }, "vulnerabilities": [osv()] }
    ] }] });
    let mut all = Vec::new();
    for (report, meta) in [
        (&shapes_dependabot::rest(7, "open"), &[][..]),
        (&bare, &[]),
        (&bare, &[("repo", "octo/app")]),
        (&unnumbered, &[("repo", "octo/app")]),
        (&shapes_aws::package(), &[]),
        (&sarif(), &[]),
        (&osv(), &[]),
        (&scanned, &[]),
        (&npm_report(), &[]),
        (&npm_report(), &[("repo", "octo/app"), ("service", "web")]),
        (&cargo, &[]),
        (&cargo, &[("service", "web")]),
        (&pip, &[]),
        (&pip, &[("service", "web")]),
        (&generic("K-1", "t"), &[]),
        (&full(), &[("service", "web")]),
    ] {
        all.extend(named(report, meta));
    }
    let expected: Vec<&str> = EXPECTED.lines().collect();
    assert_eq!(all, expected, "{}", all.join("\n"));
}

/// The id, and the key that it is made from.
const EXPECTED: &str = "\
dep-7da60dc7bdbc73e6 octocat/hello-world|alert|7
dep-442bb05f4e9f1647 |alert|7|CVE-2018-6188|django|path/to/requirements.txt
dep-f9b9b7d9ae097d5e octo/app|alert|7
dep-cbee8e831f2b389e octo/app|CVE-2018-6188|django|path/to/requirements.txt
aws-9b9e5cec56d6536a arn:aws:inspector2:eu-west-1:123456789012:finding/00000000000000000000000000000001
sarif-8f7c5c334d2c35c1 CodeQL|py/sql-injection|src/a b/db.py|primaryLocationLineHash=39fa2ee980eb94b0:1
sarif-ccab67d5208e0dbf CodeQL|py/sql-injection|src/a b/db.py|40|Another
osv-6400c669d31b9111 RUSTSEC-2020-0071
osv-a0651e4e48a70d1c RUSTSEC-2020-0071|time|0.1.43|app/Cargo.lock
npm-bca214810d1264bb GHSA-xvch-5gv4-984h|minimist
npm-b34d744b7b8c1ad8 GHSA-vh95-rmgr-6w4m|minimist
npm-bc8155689c2e5db0 GHSA-xvch-5gv4-984h|minimist|repo=octo/app|service=web
npm-b23475d511af6c20 GHSA-vh95-rmgr-6w4m|minimist|repo=octo/app|service=web
cargo-35fc016262a6af4b RUSTSEC-2020-0071|time|0.1.43
cargo-76aa4c5f229c2ef2 cargo:yanked|old|2.0.0
cargo-dee6cda9d2db390d RUSTSEC-2020-0071|time|0.1.43|service=web
cargo-e395879c4119144d cargo:yanked|old|2.0.0|service=web
pip-464b6c2890e0657e PYSEC-2019-179|flask|0.5
pip-a7d043dc36c1096f PYSEC-2019-179|flask|0.5|service=web
gen-b58957c04312b930 |K-1
gen-4b6c373308badbda our-scanner|K-1
";
