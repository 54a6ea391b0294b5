//! The steps of a trail file. Equal ones are kept and put into words once.

use std::io;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Writer;
use super::checksum::Repeated;

/// A step, for readers of the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub process: String,
    pub place: String,
    pub statement: String,
}

/// The steps of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    distinct: Vec<Step>,
    /// The steps, as indices in `distinct`.
    order: Vec<u32>,
}

/// A step that occurs less often has its checksum computed each time.
const OFTEN: usize = 300;

impl Steps {
    pub fn new(distinct: Vec<Step>, order: Vec<u32>) -> Steps {
        Steps { distinct, order }
    }

    fn iter(&self) -> impl Iterator<Item = &Step> {
        self.order.iter().map(|number| &self.distinct[*number as usize])
    }

    /// Writes the steps as a list with one line each.
    pub fn write(&self, out: &mut Writer<'_>) -> io::Result<()> {
        if self.order.is_empty() {
            return out.put("[]");
        }
        let mut counts = vec![0; self.distinct.len()];
        self.order.iter().for_each(|number| counts[*number as usize] += 1);
        let line = |step: &Step| Ok(Repeated::new(format!(",\n    {}", serde_json::to_string(step)?)));
        let mut lines = self.distinct.iter().map(line).collect::<io::Result<Vec<Repeated>>>()?;
        for (n, number) in self.order.iter().map(|number| *number as usize).enumerate() {
            let line = &mut lines[number];
            match n {
                0 => out.put(&format!("[{}", line.text().trim_start_matches(',')))?,
                _ if counts[number] < OFTEN => out.put(line.text())?,
                _ => out.put_again(line)?,
            }
        }
        out.put("\n  ]")
    }
}

impl PartialEq for Steps {
    fn eq(&self, other: &Steps) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Steps {}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Steps, D::Error> {
        let distinct = Vec::<Step>::deserialize(deserializer)?;
        let order = (0..distinct.len() as u32).collect();
        Ok(Steps { distinct, order })
    }
}
