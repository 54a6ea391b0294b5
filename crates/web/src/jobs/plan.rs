//! The plan of a check: what it would do, and why.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Jobs, Wanted, words, write_model};
use crate::options::command;
use crate::refusal::Refusal;

/// The time to make a plan.
const LIMIT: Duration = Duration::from_secs(20);

impl Jobs {
    /// The plan of a check, found by a check that ends at its first state.
    pub async fn plan(&self, wanted: Wanted) -> Result<Value, Refusal> {
        let file = wanted.model["file"].as_str().unwrap_or_default().to_string();
        let shown = words(&file, &wanted.options, &wanted.define)?;
        let folder = self.folder.join(format!("plan-{}", crate::secret::word(8)));
        let made = write_model(&folder, &wanted.model);
        let result = match made {
            Ok(()) => self.planned(&folder.join("model"), &file, &wanted).await,
            Err(refusal) => Err(refusal),
        };
        let _ = fs::remove_dir_all(&folder);
        let result = result?;
        let property = |p: &Value| json!({ "name": p["name"], "kind": p["kind"], "plan": p["plan"] });
        let properties: Vec<Value> = result["properties"].as_array().into_iter().flatten().map(property).collect();
        Ok(json!({ "command": format!("kripke {}", command(&shown)), "properties": properties }))
    }

    async fn planned(&self, folder: &std::path::Path, file: &str, wanted: &Wanted) -> Result<Value, Refusal> {
        let mut options = wanted.options.clone();
        options["max_states"] = 1.into();
        for name in ["statistics", "profile", "ranges"] {
            options[name] = false.into();
        }
        let mut line = words("-", &options, &wanted.define)?;
        line.remove(1);
        line.extend(["--format=json", "--no-trail", "--no-vacuity", "--progress=none", "--", file].map(String::from));
        let mut check = self.program.command(folder, None);
        check.arg("execute").arg(&self.program.path).args(line);
        check.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let late = |_| Refusal::new(504, "it takes too long to make a plan");
        let output = timeout(LIMIT, check.output()).await.map_err(late)??;
        let result =
            serde_json::from_slice::<Value>(&output.stdout).ok().filter(|result| result["properties"].is_array());
        result.ok_or_else(|| {
            let said = anstream::adapter::strip_str(&String::from_utf8_lossy(&output.stderr)).to_string();
            let line = said.lines().next().unwrap_or("the check is refused");
            Refusal::new(422, line.trim_start_matches("error: "))
        })
    }
}
