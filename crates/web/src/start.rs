//! The start of a server, for one person or for a group.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::accounts::{Accounts, check_password, hashed};
use crate::app::{App, Mode, User};
use crate::config::Config;
use crate::database::Database;
use crate::jobs::{Jobs, LOCAL, Limits, Machine, Share};
use crate::process::Program;
use crate::refusal::Refusal;
use crate::{http, load};

/// The bytes of memory of a worker.
const WORKER_MEMORY: u64 = 4 << 30;

/// The server for one person.
#[derive(Debug)]
pub struct Ui {
    /// The program that is executed for checks and other work.
    pub program: PathBuf,
    /// The folder whose files are shown.
    pub folder: PathBuf,
    /// The model to begin with, relative to the folder.
    pub model: Option<String>,
    /// The port; any free one if it is 0.
    pub port: u16,
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(4).enable_all().build()
}

fn failed(refusal: &Refusal) -> io::Error {
    io::Error::other(refusal.text().to_string())
}

/// This machine: its cores, and three quarters of its memory.
fn machine() -> Share {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Share { cores, memory: kib.map_or(4 << 30, |kib| kib * 1024 / 4 * 3) }
}

fn local(cores: usize) -> Machine {
    Machine { name: LOCAL.to_string(), command: Vec::new(), cores, description: "this machine".to_string() }
}

impl Ui {
    /// Serves the page until the program is ended. `announce` gets its address, with the token.
    pub fn serve(self, announce: impl FnOnce(&str)) -> io::Result<()> {
        let runtime = runtime()?;
        runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await?;
            let port = listener.local_addr()?.port();
            let work = tempfile::Builder::new().prefix("kripke-ui-").tempdir()?;
            let token = crate::secret::word(16);
            let total = machine();
            let limits = Limits { jobs: 4, cores: total.cores, memory: total.memory, seconds: 7 * 86_400, queued: 100 };
            // Each job may use the whole machine: they wait for each other.
            let program = Program::new(self.program, WORKER_MEMORY);
            let database = Database::open(None).map_err(io::Error::other)?;
            let jobs =
                Jobs::new(Arc::new(database), program, work.path().to_path_buf(), vec![local(total.cores)], total);
            let user = User { name: String::new(), admin: true, limits };
            let mode = Mode::One { token: token.clone(), folder: self.folder.canonicalize()?, user };
            let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
            let file = self.model.map_or(String::new(), |model| format!("&file={}", escaped(&model)));
            announce(&format!("http://127.0.0.1:{port}/#token={token}{file}"));
            let app = Arc::new(App::new(mode, Arc::new(jobs), hosts.to_vec()));
            tokio::select! {
                served = run(listener, app) => served,
                () = told_to_end() => Ok(()),
            }
        })
    }
}

/// A text in an address.
fn escaped(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~/".contains(&b);
    let one = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.bytes().map(one).collect()
}

/// Waits for an interrupt or a request to terminate.
async fn told_to_end() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

async fn run(listener: TcpListener, app: Arc<App>) -> io::Result<()> {
    let limits = {
        let app = Arc::clone(&app);
        move |user: &str| app.limits(user)
    };
    app.jobs.recover().map_err(|refusal| failed(&refusal))?;
    tokio::spawn(Arc::clone(&app.jobs).schedule(limits));
    let sampled = Arc::clone(&app);
    tokio::spawn(async move {
        loop {
            sampled.load.sample(&sampled.jobs);
            sampled.end_idle();
            tokio::time::sleep(Duration::from_secs(load::EACH)).await;
        }
    });
    http::serve(listener, app).await
}

/// Serves a group until the program is ended. `announce` gets the address.
pub fn serve_group(program: PathBuf, config: &Path, announce: impl FnOnce(&str)) -> io::Result<()> {
    let config = Config::read(config)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let mut app = group(program, &config)?;
        let listener = TcpListener::bind(config.address).await?;
        let scheme = if app.https { "https" } else { "http" };
        let port = listener.local_addr()?.port();
        let own = format!("{}:{port}", config.address.ip());
        let host = config.hosts.first().cloned().unwrap_or(own);
        app.hosts = hosts(&config, port);
        announce(&format!("{scheme}://{host}/"));
        tokio::select! {
            served = run(listener, Arc::new(app)) => served,
            () = told_to_end() => Ok(()),
        }
    })
}

/// The names of the server.
fn hosts(config: &Config, port: u16) -> Vec<String> {
    let mut hosts: Vec<String> = config.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
    if config.address.ip().is_loopback() {
        hosts.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]);
    }
    hosts
}

fn group(program: PathBuf, config: &Config) -> io::Result<App> {
    let (jobs_folder, projects) = (config.data.join("jobs"), config.data.join("projects"));
    for folder in [&config.data, &jobs_folder, &projects] {
        std::fs::create_dir_all(folder)?;
        private(folder)?;
    }
    let database = Database::open(Some(&config.data.join("kripke.db"))).map_err(io::Error::other)?;
    let database = Arc::new(database);
    let usual = config.limits.clone();
    let accounts = Accounts::new(Arc::clone(&database), projects, usual).map_err(|e| failed(&e))?;
    let present = machine();
    let total = Share {
        cores: config.total.cores.unwrap_or(present.cores),
        memory: config.total.memory.unwrap_or(present.memory),
    };
    let mut machines = vec![local(total.cores)];
    machines.extend(config.machines.iter().cloned());
    let program = Program::new(program, config.total.worker_memory.unwrap_or(WORKER_MEMORY));
    let jobs = Jobs::new(database, program, jobs_folder, machines, total);
    let mut app = App::new(Mode::Group(accounts), Arc::new(jobs), Vec::new());
    app.behind_proxy = config.behind_proxy;
    app.https = config.behind_proxy && config.https;
    Ok(app)
}

/// Only the owner may look into the folder.
fn private(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Adds an administrator or another user to the accounts of a group, or sets the password of one that exists.
pub fn add_user(config: &Path, name: &str, password: &str, admin: bool) -> io::Result<()> {
    let config = Config::read(config)?;
    let app = group(PathBuf::new(), &config)?;
    let Mode::Group(accounts) = &app.mode else { return Ok(()) };
    let change = || -> Result<(), Refusal> {
        check_password(password)?;
        let hash = hashed(password)?;
        match accounts.user(name)? {
            Some(user) => {
                accounts.set_password(name, &hash, None)?;
                accounts.change_user(name, admin || user.admin, &user.limits)
            }
            None => accounts.add_user(name, &hash, admin, &accounts.usual),
        }
    };
    change().map_err(|refusal| failed(&refusal))
}

/// Whether an address is that of this machine only.
pub(crate) fn is_local(address: SocketAddr) -> bool {
    match address.ip() {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_loopback(),
    }
}
