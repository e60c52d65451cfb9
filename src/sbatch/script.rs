//! The scripts of the two jobs: templates of `slurm/templates`, with `@WORDS@` filled in. A word that the templates have and nobody knows is an error.

use crate::args::Launch;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const BUILT_IN: [(&str, &str); 5] = [
    ("phase1.sh", include_str!("../../slurm/templates/phase1.sh")),
    ("phase2.sh", include_str!("../../slurm/templates/phase2.sh")),
    ("openmpi.sh", include_str!("../../slurm/templates/openmpi.sh")),
    ("mpich.sh", include_str!("../../slurm/templates/mpich.sh")),
    ("cray.sh", include_str!("../../slurm/templates/cray.sh")),
];

/// By name.
pub struct Templates(Vec<(String, String)>);

/// What goes into them.
pub struct Job {
    pub nodes: u32,
    pub ranks: u32,
    /// For sbatch.
    pub options: Vec<String>,
    /// For `thrille exec`.
    pub exec: Vec<String>,
    /// Where the user stands.
    pub here: PathBuf,
    pub dir: PathBuf,
    pub thrille: PathBuf,
    pub command: Vec<OsString>,
    pub config: Option<PathBuf>,
}

impl Templates {
    /// Those that come with the command.
    pub fn built_in() -> Self {
        Self(BUILT_IN.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
    }

    /// The user's own; what the directory lacks is taken from the built-in ones.
    pub fn read(dir: &Path) -> Result<Self> {
        if !dir.is_dir() {
            bail!("--templates {}: there is no such directory; make one with --write-templates", dir.display());
        }
        let mut all = Self::built_in();
        for (name, text) in &mut all.0 {
            let path = dir.join(&*name);
            if path.exists() {
                *text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            }
        }
        Ok(all)
    }

    /// Puts them into a directory.
    pub fn write(&self, dir: &Path) -> Result<()> {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        for (name, text) in &self.0 {
            let path = dir.join(name);
            if path.exists() {
                bail!("{} is there already: it may hold your changes", path.display());
            }
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(n, _)| n == name).map_or("", |(_, text)| text)
    }

    /// One script.
    pub fn fill(&self, phase: &str, launch: Launch, job: &Job) -> Result<String> {
        let launcher = match launch {
            Launch::OpenMpi => "openmpi.sh",
            Launch::Mpich => "mpich.sh",
            Launch::Cray => "cray.sh",
        };
        let name = job.command[0].to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned();
        let words = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let command: Vec<String> = job.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let options: Vec<String> = job.options.iter().map(|option| format!("#SBATCH {}\n", quoted(option))).collect();
        let config = match &job.config {
            Some(file) => format!("export THRILLE_CONFIG={}", quoted(&file.to_string_lossy())),
            None => "# thrille.toml is looked for here; export THRILLE_CONFIG=FILE names another.".into(),
        };
        let path = |path: &Path| quoted(&path.to_string_lossy());
        let values = [
            ("NAME", quoted(&format!("thrille-{name}"))),
            ("NODES", job.nodes.to_string()),
            ("RANKS", job.ranks.to_string()),
            ("OPTIONS\n", options.concat()),
            ("HERE", path(&job.here)),
            ("DIR", path(&job.dir)),
            ("THRILLE", path(&job.thrille)),
            ("COMMAND", words(&command)),
            ("EXEC", words(&job.exec)),
            ("LAUNCHER", self.get(launcher).trim_end().to_owned()),
            ("CONFIG", config),
        ];
        let name = format!("{phase}.sh");
        replaced(self.get(&name), &values).map_err(|word| {
            let known: Vec<&str> = values.iter().map(|(word, _)| word.trim()).collect();
            anyhow::anyhow!("the template {name} has a word @{word}@ that means nothing: {} do", known.join(", "))
        })
    }
}

/// A text with its `@WORDS@` replaced, in one pass: what is put in is not looked at again.
fn replaced(text: &str, values: &[(&str, String)]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        let word: String = after.chars().take_while(char::is_ascii_uppercase).collect();
        if word.is_empty() || !after[word.len()..].starts_with('@') {
            out.push('@');
            rest = after;
            continue;
        }
        let (known, value) = values.iter().find(|(known, _)| known.trim() == word).ok_or_else(|| word.clone())?;
        out.push_str(value);
        rest = &after[word.len() + 1..];
        if known.ends_with('\n') {
            // It stands for whole lines.
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
    }
    Ok(out + rest)
}

/// One word of a shell, and of a line that sbatch reads.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            nodes: 2,
            ranks: 8,
            options: vec!["--time=10".into(), "--comment=a b".into()],
            exec: vec!["--max-records".into(), "1000".into()],
            here: "/home/u/my work".into(),
            dir: "/home/u/my work/out".into(),
            thrille: "/opt/bin/thrille".into(),
            command: vec!["/home/u/solver".into(), "it's".into(), "$HOME".into()],
            config: None,
        }
    }

    #[test]
    fn scripts_are_shell_with_everything_filled_in() {
        for launch in [Launch::OpenMpi, Launch::Mpich, Launch::Cray] {
            for phase in ["phase1", "phase2"] {
                let text = Templates::built_in().fill(phase, launch, &job()).unwrap();
                assert!(!text.contains("@N") && text.contains("#SBATCH --nodes=2\n"), "{text}");
                assert!(
                    text.contains("#SBATCH --time=10\n#SBATCH '--comment=a b'\nhere='/home/u/my work'\n"),
                    "{text}"
                );
                let mut shell = std::process::Command::new("bash");
                let checked = shell.args(["-n", "-c", &text]).status().unwrap();
                assert!(checked.success(), "{text}");
            }
        }
        let text = Templates::built_in().fill("phase1", Launch::Mpich, &job()).unwrap();
        assert!(text.contains(r"program=(/home/u/solver 'it'\''s' '$HOME')"), "{text}");
        assert!(text.contains("--mpi=pmi2") && text.contains("--max-records 1000"), "{text}");
        assert!(Templates::built_in().fill("phase1", Launch::Cray, &job()).unwrap().contains("UNTESTED"));
    }

    #[test]
    fn the_users_templates_come_first_and_unknown_words_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        Templates::built_in().write(dir.path()).unwrap();
        assert!(Templates::built_in().write(dir.path()).unwrap_err().to_string().contains("your changes"));
        std::fs::write(dir.path().join("phase1.sh"), "a@b @RANKS@ @TANKS@\n").unwrap();
        let templates = Templates::read(dir.path()).unwrap();
        let error = templates.fill("phase1", Launch::Mpich, &job()).unwrap_err().to_string();
        assert!(error.contains("@TANKS@") && error.contains("RANKS"), "{error}");
        std::fs::write(dir.path().join("phase1.sh"), "a@b @RANKS@\n").unwrap();
        let templates = Templates::read(dir.path()).unwrap();
        assert_eq!(templates.fill("phase1", Launch::Mpich, &job()).unwrap(), "a@b 8\n");
    }
}
