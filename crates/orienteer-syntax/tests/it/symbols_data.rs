//! Outlines of documents and data.

use crate::support::outline;

#[test]
fn html() {
    let text = r##"<html><body><div id="main" class=x><p id=para>Hi</p><img id="pic"/></div><h1>Title</h1></body></html>
"##;
    outline("html", text, &["key main", "key main/para", "key main/pic"]);
}

#[test]
fn css() {
    let text = r##":root { --main: red; }
.a, #b > p { color: red; }
@media (max-width: 10px) { .c { color: blue; } }
@keyframes spin { from { top: 0 } to { top: 1 } }
@supports (display: grid) { .d {} }
"##;
    outline(
        "css",
        text,
        &[
            "class :root",
            "property :root/--main",
            "class .a, #b > p",
            "namespace @media (max-width: 10px)",
            "class @media (max-width: 10px)/.c",
            "function spin",
            "namespace @supports (display: grid)",
            "class @supports (display: grid)/.d",
        ],
    );
}

#[test]
fn json() {
    let text = r##"{ "name": "x", "scripts": { "build": "make", "test": "t" }, "list": [ { "deep": 1 } ], "": 1 }
"##;
    outline(
        "json",
        text,
        &["key name", "key scripts", "key scripts/build", "key scripts/test", "key list", "key list/deep"],
    );
}

#[test]
fn yaml() {
    let text = r##"name: x
on:
  push: {branches: [a]}
list:
  - key: 1
    "quoted": 2
---
second: 1
"##;
    outline(
        "yaml",
        text,
        &[
            "key name",
            "key on",
            "key on/push",
            "key on/push/branches",
            "key list",
            "key list/key",
            "key list/quoted",
            "key second",
        ],
    );
}

#[test]
fn toml() {
    let text = r##"top = 1
[package]
name = "x"
a.b = 2
[a."c d"]
k = { inner = 1 }
[[bin]]
path = "p"
"##;
    outline(
        "toml",
        text,
        &[
            "key top",
            "namespace package",
            "key package/name",
            "key package/a.b",
            r#"namespace a."c d""#,
            r#"key a."c d"/k"#,
            r#"key a."c d"/k/inner"#,
            "namespace bin",
            "key bin/path",
        ],
    );
}

#[test]
fn markdown() {
    let text = r##"intro
# One
text
## Two *em*
### Three ###
# Four
Setext
======
sub
---
"##;
    outline(
        "markdown",
        text,
        &[
            "heading One",
            "heading One/Two *em*",
            "heading One/Two *em*/Three",
            "heading Four",
            "heading Setext",
            "heading Setext/sub",
        ],
    );
}

#[test]
fn hcl() {
    let text = r##"region = "x"
resource "aws_instance" "web" {
  ami = "a"
  tags = { Name = "n" }
  lifecycle { create = true }
}
variable "v" { default = 1 }
"##;
    outline(
        "hcl",
        text,
        &[
            "key region",
            "namespace resource.aws_instance.web",
            "key resource.aws_instance.web/ami",
            "key resource.aws_instance.web/tags",
            "namespace resource.aws_instance.web/lifecycle",
            "key resource.aws_instance.web/lifecycle/create",
            "namespace variable.v",
            "key variable.v/default",
        ],
    );
}

#[test]
fn nix() {
    let text = r##"{ pkgs, ... }:
let helper = x: x; in
{
  name = "a";
  services.web = { enable = true; };
  inherit pkgs;
}
"##;
    outline("nix", text, &["key helper", "key name", "key services.web", "key services.web/enable"]);
}
