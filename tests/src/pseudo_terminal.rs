//! A program at a terminal: keys go in, the screen comes out. The terminal is a pseudo-terminal, its screen is that of an emulator.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// A program that shows nothing new for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// After the end of a program, nothing more is expected after this time.
const QUIET: Duration = Duration::from_millis(200);

/// A running program and its terminal.
pub struct PseudoTerminal {
    keyboard: File,
    /// The program's side, which stays open so that its settings can be read after the program.
    line: File,
    before: Termios,
    child: Child,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

/// The program after its end.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What the terminal shows.
    pub screen: String,
    /// Whether the settings of the terminal are those from before, the usual screen is shown, and the cursor is visible.
    pub restored: bool,
}

impl fmt::Debug for PseudoTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PseudoTerminal")
            .field("child", &self.child)
            .field("screen", &self.screen())
            .finish_non_exhaustive()
    }
}

impl PseudoTerminal {
    /// Starts a program at a terminal of so many columns and rows. `None` if there is no `setsid`, which makes the terminal the
    /// one that signals of keys and sizes come from.
    pub fn start(command: &Command, columns: u16, rows: u16) -> Option<PseudoTerminal> {
        Command::new("setsid").arg("--version").output().ok()?;
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("access to it");
        let name = ptsname(&controller, Vec::new()).expect("its name");
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits().cast_signed());
        let line = options.open(OsStr::from_bytes(name.as_bytes())).expect("its other side");
        tcsetwinsize(&line, size(columns, rows)).expect("a size");
        let before = tcgetattr(&line).expect("settings");
        let side = || line.try_clone().expect("a copy");
        let mut with_terminal = Command::new("setsid");
        with_terminal.arg("-c").arg(command.get_program()).args(command.get_args()).env("TERM", "xterm-256color");
        command.get_envs().for_each(|(name, value)| {
            match value {
                Some(value) => with_terminal.env(name, value),
                None => with_terminal.env_remove(name),
            };
        });
        if let Some(folder) = command.get_current_dir() {
            with_terminal.current_dir(folder);
        }
        let child = with_terminal.stdin(side()).stdout(side()).stderr(side()).spawn().expect("the program starts");
        let keyboard = File::from(controller);
        let mut from = keyboard.try_clone().expect("a copy");
        let (send, output) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                if send.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(rows, columns, 0);
        Some(PseudoTerminal { keyboard, line, before, child, output, screen })
    }

    /// Types keys.
    pub fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until the screen contains a text.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.screen().contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(_) => panic!("the screen never shows `{text}`; it shows\n{}", self.screen()),
            }
        }
    }

    /// The characters on the screen.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Whether the program uses a screen of its own.
    pub fn is_full_screen(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.screen_mut().set_size(rows, columns);
        tcsetwinsize(&self.line, size(columns, rows)).expect("another size");
    }

    /// Sends a signal that ends the program.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Lets a program go on that was suspended.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the program is there");
    }

    /// Waits until the program has suspended itself, and processes what it showed before.
    #[track_caller]
    pub fn wait_for_suspension(&mut self) {
        let end = Instant::now() + PATIENCE;
        let options = WaitOptions::UNTRACED | WaitOptions::NOHANG;
        let stopped = || waitpid(Some(Pid::from_child(&self.child)), options).expect("the program is there");
        while stopped().is_none_or(|(_, status)| !status.stopped()) {
            assert!(Instant::now() < end, "the program is not suspended");
            thread::sleep(QUIET / 10);
        }
        while let Ok(bytes) = self.output.recv_timeout(QUIET) {
            self.screen.process(&bytes);
        }
    }

    /// Waits for the end of the program.
    pub fn end(mut self) -> Ended {
        let status = self.child.wait().expect("the program ends");
        while let Ok(bytes) = self.output.recv_timeout(QUIET) {
            self.screen.process(&bytes);
        }
        let after = tcgetattr(&self.line).expect("settings");
        let same = |one: &Termios, other: &Termios| {
            (one.input_modes, one.output_modes, one.control_modes, one.local_modes)
                == (other.input_modes, other.output_modes, other.control_modes, other.local_modes)
        };
        let screen = self.screen.screen();
        let restored = same(&self.before, &after) && !screen.alternate_screen() && !screen.hide_cursor();
        Ended { status, screen: screen.contents(), restored }
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
