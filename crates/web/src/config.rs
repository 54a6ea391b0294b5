//! The configuration of a group's server.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::jobs::{Limits, Machine};

/// The configuration, a file in TOML.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The address to listen at.
    #[serde(default = "usual_address")]
    pub address: SocketAddr,
    /// The folder of the database, the projects and the jobs; relative to the file.
    pub data: PathBuf,
    /// The names under which browsers know the server: `kripke.example.org`.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Whether a proxy in front of the server speaks TLS with the browsers.
    #[serde(default)]
    pub behind_proxy: bool,
    /// Whether browsers use https.
    #[serde(default = "yes")]
    pub https: bool,
    /// The limits of a user.
    #[serde(default)]
    pub limits: Limits,
    /// The limits of all together.
    #[serde(default)]
    pub total: Total,
    /// Machines to choose from, in addition to this one.
    #[serde(default)]
    pub machines: Vec<Machine>,
}

/// The limits of all together: what the machine has, where nothing is said.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Total {
    pub cores: Option<usize>,
    pub memory: Option<u64>,
    pub worker_memory: Option<u64>,
}

fn usual_address() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

fn yes() -> bool {
    true
}

impl Config {
    /// Reads a configuration. One that would send passwords in the clear is refused.
    pub fn read(path: &Path) -> io::Result<Config> {
        let text = std::fs::read_to_string(path)?;
        let mut config = Config::parse(&text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        config.data = folder.join(&config.data);
        Ok(config)
    }

    fn parse(text: &str) -> io::Result<Config> {
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let config: Config = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if !crate::start::is_local(config.address) && !config.behind_proxy {
            return Err(wrong(format!(
                "{}: others could read passwords on their way; listen at 127.0.0.1, or put a proxy that speaks TLS in \
                 front of the server and set `behind_proxy = true`",
                config.address
            )));
        }
        if !crate::start::is_local(config.address) && config.hosts.is_empty() {
            return Err(wrong("`hosts` must name the server as browsers know it".to_string()));
        }
        config.limits.check().map_err(wrong)?;
        if config.total.cores == Some(0) || config.total.memory == Some(0) || config.total.worker_memory == Some(0) {
            return Err(wrong("total: no limit may be 0".to_string()));
        }
        let mut names: Vec<&str> = config.machines.iter().map(|machine| machine.name.as_str()).collect();
        names.push("local");
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) || config.machines.iter().any(|m| m.command.is_empty()) {
            return Err(wrong("each machine has a name of its own and a command; `local` is this machine".to_string()));
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_for_others_needs_a_proxy() {
        assert!(Config::parse("data = 'd'").is_ok());
        assert!(Config::parse("data = 'd'\naddress = '[::1]:80'").is_ok());
        assert!(Config::parse("data = 'd'\naddress = '0.0.0.0:80'\nhosts = ['h']").is_err());
        assert!(Config::parse("data = 'd'\naddress = '0.0.0.0:80'\nbehind_proxy = true").is_err());
        assert!(Config::parse("data = 'd'\naddress = '0.0.0.0:80'\nhosts = ['h']\nbehind_proxy = true").is_ok());
        assert!(Config::parse("data = 'd'\nother = 1").is_err());
        assert!(Config::parse("data = 'd'\n[limits]\ncores = 0").is_err());
        assert!(Config::parse("data = 'd'\n[total]\ncores = 0").is_err());
        assert!(Config::parse("data = 'd'\n[[machines]]\nname = 'local'\ncommand = ['x']").is_err());
    }
}
