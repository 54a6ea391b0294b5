//! The plan of a check: what it would do, and why.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::limits::LOCAL;
use super::{Jobs, Wanted, words, write_model};
use crate::options::command;
use crate::process::busy;
use crate::refusal::Refusal;

/// The time to make a plan, and to wait for other plans.
const LIMIT: Duration = Duration::from_secs(20);
/// The most plans that are made at a time.
pub(super) const MOST_PLANS: usize = 4;
/// The beginning of the names of folders in which plans are made.
pub(super) const FOLDER: &str = "plan-";

impl Jobs {
    /// The plan of a check, found by a check that ends at its first state. The process ends if the client goes away.
    pub async fn plan(&self, wanted: Wanted) -> Result<Value, Refusal> {
        let file = wanted.model["file"].as_str().unwrap_or_default().to_string();
        let shown = words(&file, &wanted.options, &wanted.define)?;
        let permit = timeout(LIMIT, self.plans.acquire()).await.map_err(|_| busy())?;
        let _permit = permit.map_err(|e| Refusal::internal(&e))?;
        let folder = tempfile::Builder::new().prefix(FOLDER).tempdir_in(&self.folder)?;
        write_model(folder.path(), &wanted.model)?;
        let result = self.planned(&folder.path().join("model"), &file, &wanted).await?;
        let property = |p: &Value| json!({ "name": p["name"], "kind": p["kind"], "plan": p["plan"] });
        let properties: Vec<Value> = result["properties"].as_array().into_iter().flatten().map(property).collect();
        Ok(json!({ "command": format!("kripke {}", command(&shown)), "properties": properties }))
    }

    async fn planned(&self, folder: &std::path::Path, file: &str, wanted: &Wanted) -> Result<Value, Refusal> {
        let mut options = wanted.options.clone();
        self.share(&options, LOCAL, &wanted.limits).bound(&mut options);
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
