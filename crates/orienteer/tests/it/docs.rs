//! Generated pages say what the code does.

use std::path::{Path, PathBuf};

use orienteer::tools::TOOLS;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn check(name: &str, text: &str) {
    if std::env::var_os("ORIENTEER_REWRITE").is_some() {
        std::fs::create_dir_all(page(name).parent().unwrap()).unwrap();
        std::fs::write(page(name), text).unwrap();
    }
    let written = std::fs::read_to_string(page(name)).unwrap_or_default();
    for (number, (old, new)) in written.lines().zip(text.lines()).enumerate() {
        assert_eq!(old, new, "docs/{name}:{} is not what the code says; run `cargo xtask docs`", number + 1);
    }
    assert_eq!(written.len(), text.len(), "docs/{name} is not what the code says; run `cargo xtask docs`");
}

#[test]
fn tools_page() {
    check("tools.md", &orienteer::docs::tools(TOOLS));
}

#[test]
fn servers_page() {
    check("servers.md", &orienteer::docs::servers().unwrap());
}

#[test]
fn config_page() {
    check("config.md", &orienteer::docs::config());
}
