//! The crates of the workspace and their source files, as they stand on the disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{rules, rust};

/// All crates under `crates/`.
pub(crate) struct Tree {
    pub(crate) crates: Vec<Crate>,
}

/// One crate with the dependencies that its manifest names.
pub(crate) struct Crate {
    /// The folder under `crates/`, which is also its name in the list of edges.
    pub(crate) folder: String,
    /// The name in `use` lines.
    library: String,
    /// Folders of our crates that it depends on, at run time or while it is built.
    pub(crate) internal: BTreeSet<String>,
    /// Folders of our crates that its tests depend on.
    pub(crate) internal_dev: BTreeSet<String>,
    /// Names of all other packages that it or its tests depend on.
    pub(crate) external: BTreeSet<String>,
}

/// A Rust file, split into words and literals.
pub(crate) struct Source {
    /// The path from the root of the repository.
    pub(crate) path: String,
    pub(crate) rust: rust::Rust,
}

impl Source {
    /// Whether dev-dependencies are there for it.
    pub(crate) fn is_test(&self) -> bool {
        rules::is_test(&self.path) || self.path.contains("/examples/")
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("xtask stands in the repository").to_path_buf()
}

impl Tree {
    /// Reads all manifests through cargo, which knows what they inherit from the workspace.
    pub(crate) fn read() -> Tree {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
            .current_dir(root())
            .output()
            .expect("cargo metadata starts");
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
        let packages = list(&metadata, "packages");
        let folders: Vec<(&str, String)> =
            packages.iter().filter_map(|package| Some((text(package, "name"), folder(package)?))).collect();
        let crates =
            packages.iter().filter_map(|package| Some(read_crate(package, folder(package)?, &folders))).collect();
        Tree { crates }
    }

    /// The folders under `crates/`, whether or not they hold a crate.
    pub(crate) fn folders(&self) -> BTreeSet<String> {
        entries(&root().join("crates"))
            .into_iter()
            .filter(|path| path.is_dir())
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect()
    }

    /// All dependencies between our crates but for those of their tests.
    pub(crate) fn edges(&self) -> BTreeSet<(String, String)> {
        self.crates
            .iter()
            .flat_map(|one| one.internal.iter().map(|other| (one.folder.clone(), other.clone())))
            .collect()
    }

    /// All Rust files of all crates.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let mut paths = Vec::new();
        for one in &self.crates {
            collect(&root().join("crates").join(&one.folder), &mut paths);
        }
        paths.sort();
        paths.iter().map(|path| read_source(path)).collect()
    }

    /// The crate that a file belongs to.
    pub(crate) fn owner(&self, source: &Source) -> &Crate {
        let folder = source.path.split('/').nth(1);
        self.crates
            .iter()
            .find(|one| Some(one.folder.as_str()) == folder)
            .expect("every source was found through its crate")
    }

    /// The places where a file names one of our crates: line and folder.
    pub(crate) fn mentions(&self, source: &Source) -> Vec<(usize, &str)> {
        let mut mentions = Vec::new();
        let mut after_use = false;
        for word in &source.rust.words {
            // `bothy` alone is also an ordinary name: it is the crate only in a path or a `use`.
            let is_path = word.before_path || after_use || word.text.contains('_');
            after_use = word.text == "use";
            let named = self.crates.iter().find(|one| one.library == word.text);
            if let Some(one) = named.filter(|_| is_path) {
                mentions.push((word.line, one.folder.as_str()));
            }
        }
        mentions
    }
}

fn read_crate(package: &Value, folder: String, folders: &[(&str, String)]) -> Crate {
    let mut one = Crate {
        folder,
        library: text(package, "name").replace('-', "_"),
        internal: BTreeSet::new(),
        internal_dev: BTreeSet::new(),
        external: BTreeSet::new(),
    };
    for dependency in list(package, "dependencies") {
        let name = text(dependency, "name");
        match folders.iter().find(|(package, _)| *package == name) {
            None => one.external.insert(name.to_owned()),
            Some((_, folder)) if dependency["kind"] == "dev" => one.internal_dev.insert(folder.clone()),
            Some((_, folder)) => one.internal.insert(folder.clone()),
        };
    }
    one
}

/// The folder under `crates/` that holds a package; `None` for packages elsewhere.
fn folder(package: &Value) -> Option<String> {
    let manifest = Path::new(text(package, "manifest_path"));
    let folder = manifest.strip_prefix(root().join("crates")).ok()?.parent()?;
    Some(folder.to_string_lossy().into_owned())
}

fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().expect("cargo metadata names it")
}

/// The paths in a folder.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.flatten().map(|entry| entry.path()).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn read_source(path: &Path) -> Source {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let path = path.strip_prefix(root()).expect("sources stand in the repository");
    Source { path: path.to_string_lossy().into_owned(), rust: rust::Rust::read(&text) }
}
