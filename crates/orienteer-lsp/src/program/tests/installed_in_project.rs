//! Which of the programs that lie in a project are run without trust?

use super::*;

#[tokio::test]
async fn a_project_s_programs_run_only_by_policy() {
    let machine = machine();
    let bash = server("bash");
    script(&machine.bin.join("node"), "");
    let global = script(&machine.bin.join("bash-language-server"), "");
    let modules = machine.root().join("node_modules");
    let local = machine.npm(&modules, "bash-language-server", "5", "bash-language-server", "");
    let chosen = async |policy| machine.find(&bash, policy).await.unwrap().path;

    assert_eq!(chosen(LocalPrograms::Never).await, global);
    assert_eq!(chosen(LocalPrograms::Always).await, local);
    assert_eq!(chosen(LocalPrograms::Untracked).await, global, "no work tree, nothing known about it");
    machine.git(&["init", "-q"]).await;
    assert_eq!(chosen(LocalPrograms::Untracked).await, global, "git knows nothing of the project");
    machine.checked_out().await;
    assert_eq!(chosen(LocalPrograms::Untracked).await, local, "installed by the user into a work tree");

    // One file that came with the repository spoils the whole folder: programs load each other.
    fs::write(modules.join("extra.js"), "").unwrap();
    machine.git(&["add", "-f", "node_modules/extra.js"]).await;
    assert_eq!(chosen(LocalPrograms::Untracked).await, global);
    fs::remove_file(&global).unwrap();
    let Err(Missing::NotInstalled { rejected, looked_in, .. }) =
        machine.find(&bash, LocalPrograms::Untracked).await
    else {
        panic!("a tracked program was run");
    };
    assert_eq!(rejected[0].0, local);
    assert!(rejected[0].1.contains("trust"), "{rejected:?}");
    assert!(looked_in.contains(&modules.join(".bin")));
    assert_eq!(chosen(LocalPrograms::Always).await, local);
}

#[tokio::test]
async fn a_link_counts_for_what_it_leads_to() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    let source = script(&machine.root().join("tools/evil"), "");
    let link = machine.root().join("node_modules/.bin/bash-language-server");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&source, &link).unwrap();
    machine.git(&["init", "-q"]).await;
    machine.git(&["add", "tools"]).await;
    let found = machine.find(&server("bash"), LocalPrograms::Untracked).await;
    assert!(matches!(found, Err(Missing::NotInstalled { .. })), "{found:?}");
}

#[tokio::test]
async fn a_work_tree_further_out_vouches_for_nothing_it_does_not_hold() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    machine.tree.write("unpacked/src/x.sh", "");
    let local = machine.npm(
        &machine.root().join("unpacked/node_modules"),
        "bash-language-server",
        "5",
        "bash-language-server",
        "",
    );
    machine.git(&["init", "-q"]).await;
    let inner = machine.root().join("unpacked");
    let roots = Roots::new(&inner, &[]).unwrap();
    let chosen = async || {
        let (environment, launcher) = (&machine.environment, &machine.launcher);
        let policy = LocalPrograms::Untracked;
        find(&server("bash"), &inner, &roots, environment, launcher, policy, &machine.state).await
    };
    assert!(chosen().await.is_err(), "the folder is no part of the repository around it");
    machine.git(&["add", "unpacked/src"]).await;
    machine.git(&["commit", "-q", "-m", "x"]).await;
    assert_eq!(chosen().await.unwrap().path, local);
}

#[tokio::test]
async fn a_repository_s_settings_start_nothing() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    let modules = machine.root().join("node_modules");
    machine.npm(&modules, "bash-language-server", "5", "bash-language-server", "");
    machine.git(&["init", "-q"]).await;
    machine.checked_out().await;
    let trace = machine.tree.beside("trace").join("ran");
    let evil = script(&machine.root().join("evil"), &format!("echo ran >> {}", trace.display()));
    machine.git(&["config", "core.fsmonitor", evil.to_str().unwrap()]).await;
    machine.find(&server("bash"), LocalPrograms::Untracked).await.unwrap();
    assert!(!trace.exists());
}

#[tokio::test]
async fn a_folder_that_is_laid_out_like_a_repository_is_none() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    machine.npm(
        &machine.root().join("node_modules"),
        "bash-language-server",
        "5",
        "bash-language-server",
        "",
    );
    let trace = machine.tree.beside("trace").join("ran");
    let evil = script(&machine.root().join("evil"), &format!("echo ran >> {}", trace.display()));
    machine.tree.write("HEAD", "ref: refs/heads/main\n");
    let settings = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {}\n",
        evil.display()
    );
    machine.tree.write("config", &settings);
    machine.tree.write("objects/x", "");
    machine.tree.write("refs/x", "");
    let found = machine.find(&server("bash"), LocalPrograms::Untracked).await;
    assert!(matches!(found, Err(Missing::NotInstalled { .. })), "{found:?}");
    assert!(!trace.exists(), "its own configuration was obeyed");
    // A real repository around it does not change that.
    machine.git(&["init", "-q"]).await;
    machine.checked_out().await;
    machine.find(&server("bash"), LocalPrograms::Untracked).await.unwrap();
    assert!(!trace.exists());
}

#[tokio::test]
async fn an_index_that_was_written_elsewhere_vouches_for_nothing() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    let local = machine.npm(
        &machine.root().join("node_modules"),
        "bash-language-server",
        "5",
        "bash-language-server",
        "",
    );
    machine.git(&["init", "-q"]).await;
    machine.checked_out().await;
    let found = async || machine.find(&server("bash"), LocalPrograms::Untracked).await;
    assert_eq!(found().await.unwrap().path, local);
    assert_eq!(found().await.unwrap().origin, Origin::InstalledInProject);
    // As unpacking does: the same text in a new file.
    fs::remove_file(machine.root().join("package.json")).unwrap();
    machine.tree.write("package.json", "{}\n");
    assert!(matches!(found().await, Err(Missing::NotInstalled { .. })));
}

/// Repositories of others are not the project's own word, and neither are names that leave the folder.
#[tokio::test]
async fn a_linked_repository_vouches_for_nothing() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    let project = machine.root().join("project");
    machine.npm(&project.join("node_modules"), "bash-language-server", "5", "bash-language-server", "");
    machine.git(&["init", "-q"]).await;
    machine.checked_out().await;
    let other = machine.tree.beside("other");
    fs::rename(machine.root().join(".git"), other.join(".git")).unwrap();
    fs::rename(machine.root().join("package.json"), other.join("package.json")).unwrap();
    symlink(other.join(".git"), project.join(".git")).unwrap();
    symlink(other.join("package.json"), project.join("package.json")).unwrap();
    let bash = server("bash");
    let found = find(
        &bash,
        &project,
        &machine.roots,
        &machine.environment,
        &machine.launcher,
        LocalPrograms::Untracked,
        &machine.state,
    );
    let found = found.await;
    assert!(matches!(found, Err(Missing::NotInstalled { .. })), "{found:?}");
}

/// Trust is given to the workspace: another root is somebody else's.
#[tokio::test]
async fn trust_of_the_workspace_says_nothing_of_other_roots() {
    let machine = machine();
    script(&machine.bin.join("node"), "");
    let other = machine.tree.beside("other");
    machine.npm(&other.join("node_modules"), "bash-language-server", "5", "bash-language-server", "");
    let roots = Roots::new(machine.root(), std::slice::from_ref(&other)).unwrap();
    let (environment, launcher, state) = (&machine.environment, &machine.launcher, &machine.state);
    let found =
        find(&server("bash"), &other, &roots, environment, launcher, LocalPrograms::Always, state).await;
    assert!(matches!(found, Err(Missing::NotInstalled { .. })), "{found:?}");
}
