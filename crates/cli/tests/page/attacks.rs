//! Attacks on the server of one person: each request is refused, and the server lives.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Server, raw, raw_within, request};
use crate::{LONG, SHORT};

/// What no request may find.
const SECRET: &str = "the-secret-of-another-folder";
const JSON: &str = "Content-Type: application/json";

/// A folder with a project inside, a secret outside, and links from the one to the other.
fn trap() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("project");
    fs::create_dir(&project).expect("a project");
    fs::create_dir(folder.path().join("outside")).expect("a folder");
    for name in ["secret.pml", "secret.h", "outside/secret.pml"] {
        fs::write(folder.path().join(name), format!("/* {SECRET} */ byte {};\n", SECRET.replace('-', "_")))
            .expect("a file");
    }
    fs::write(project.join("short.pml"), SHORT).expect("a model");
    fs::write(project.join("long.pml"), LONG).expect("a model");
    fs::write(project.join("--log=pwned.pml"), SHORT).expect("a model with a strange name");
    fs::write(project.join(".hidden.pml"), SECRET).expect("a hidden file");
    fs::write(project.join("private.key"), SECRET).expect("a file that is no model");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.pml", project.join("link.pml")).expect("a link");
        std::os::unix::fs::symlink("../outside", project.join("folder")).expect("a link");
    }
    folder
}

/// A request and the answers that refuse it.
struct Attack {
    name: &'static str,
    bytes: Vec<u8>,
    refused: &'static [u16],
}

/// The requests of one kind, with what they have in common.
struct List<'a> {
    server: &'a Server,
    attacks: Vec<Attack>,
}

impl List<'_> {
    fn add(&mut self, name: &'static str, bytes: Vec<u8>, refused: &'static [u16]) {
        self.attacks.push(Attack { name, bytes, refused });
    }

    /// A request of the user of the server.
    fn own(&mut self, name: &'static str, line: &str, more: &[&str], body: &[u8], refused: &'static [u16]) {
        let mut head = self.server.identity.clone();
        head.extend(more.iter().map(ToString::to_string));
        self.add(name, request(self.server.port, line, &head, body), refused);
    }

    /// A request of somebody else.
    fn stranger(&mut self, name: &'static str, line: &str, head: &[String], refused: &'static [u16]) {
        self.add(name, request(self.server.port, line, head, b""), refused);
    }
}

fn identity(list: &mut List<'_>) {
    let token = list.server.identity[0].trim_start_matches("Authorization: Bearer ").to_string();
    let (line, no) = ("GET /api/files", &[401][..]);
    list.stranger("no token", line, &[], no);
    list.stranger("another token", line, &[format!("Authorization: Bearer {}", "0".repeat(token.len()))], no);
    list.stranger("a part of the token", line, &[format!("Authorization: Bearer {}", &token[..8])], no);
    list.stranger("the token and more", line, &[format!("Authorization: Bearer {token}0")], no);
    list.stranger("an empty token", line, &["Authorization: Bearer ".to_string()], no);
    list.stranger("the token in the address", &format!("{line}?token={token}"), &[], no);
    list.stranger("the token in a cookie", line, &[format!("Cookie: kripke-session={token}; token={token}")], no);
    list.stranger("the token as a password", line, &[format!("Authorization: Basic {token}")], no);
    list.stranger("events without a token", "GET /api/jobs/1/events", &[], no);
    list.stranger("a file without a token", "GET /api/file?path=short.pml", &[], no);
    list.stranger("a job without a token", "POST /api/jobs", &[JSON.to_string()], no);
}

fn origins(list: &mut List<'_>) {
    let port = list.server.port;
    let line = "GET /api/files";
    let origins: [(&'static str, String); 7] = [
        ("a foreign origin", "Origin: http://evil.example".to_string()),
        ("no origin in particular", "Origin: null".to_string()),
        ("another port of this machine", "Origin: http://127.0.0.1:1".to_string()),
        ("the same host with TLS", format!("Origin: https://127.0.0.1:{port}")),
        ("the name as a part of another one", format!("Origin: http://127.0.0.1:{port}.evil.example")),
        ("a request across sites", "Sec-Fetch-Site: cross-site".to_string()),
        ("a request of the same site", "Sec-Fetch-Site: same-site".to_string()),
    ];
    for (name, header) in origins {
        list.own(name, line, &[&header], b"", &[403]);
    }
    let own = format!("Origin: http://127.0.0.1:{port}");
    list.own("two origins", line, &[&own, "Origin: http://evil.example"], b"", &[403]);
    list.own("a foreign preflight", "OPTIONS /api/files", &["Origin: http://evil.example"], b"", &[403]);
    list.own("a rebound name", line, &[&format!("Host: evil.example:{port}")], b"", &[403]);
    list.own("a name without the port", line, &["Host: 127.0.0.1"], b"", &[403]);
    list.own("an empty name", line, &["Host:"], b"", &[400, 403]);
    list.own("two names", line, &[&format!("Host: 127.0.0.1:{port}"), "Host: evil.example"], b"", &[400, 403]);
    list.own("another name in the address", "GET http://evil.example/api/files", &[], b"", &[403]);
    let head = format!("GET /api/files HTTP/1.1\r\nConnection: close\r\n{}\r\n\r\n", list.server.identity[0]);
    list.add("no name", head.into_bytes(), &[400, 403]);
}

fn paths(list: &mut List<'_>) {
    let reads: [(&'static str, &str); 12] = [
        ("one folder up", "../secret.pml"),
        ("one folder up, escaped", "%2e%2e%2fsecret.pml"),
        ("one folder up, escaped twice", "%252e%252e%252fsecret.pml"),
        ("one folder up, from inside", "a/../../secret.pml"),
        ("an absolute path", "/etc/passwd"),
        ("an absolute path to a model", "%2fetc%2fhosts.pml"),
        ("backslashes", "..%5csecret.pml"),
        ("a zero byte", "short.pml%00.txt"),
        ("a link out of the project", "link.pml"),
        ("a linked folder", "folder/secret.pml"),
        ("a hidden file", ".hidden.pml"),
        ("a file that is no model", "private.key"),
    ];
    for (name, path) in reads {
        list.own(name, &format!("GET /api/file?path={path}"), &[], b"", &[403, 404]);
    }
    let put = |path: &str| json!({ "path": path, "text": "x" }).to_string().into_bytes();
    list.own("writing one folder up", "PUT /api/file", &[JSON], &put("../pwned.pml"), &[403]);
    list.own("writing through a link", "PUT /api/file", &[JSON], &put("link.pml"), &[403]);
    list.own("writing into a linked folder", "PUT /api/file", &[JSON], &put("folder/pwned.pml"), &[403]);
    list.own("writing a script", "PUT /api/file", &[JSON], &put("pwned.sh"), &[403]);
    list.own("removing one folder up", "DELETE /api/file?path=../secret.pml", &[], b"", &[403]);
    list.own("removing a link", "DELETE /api/file?path=link.pml", &[], b"", &[403]);
    list.own("a file of the system as part of the page", "GET /../../../../etc/passwd", &[], b"", &[400, 404]);
    list.own("the same, escaped", "GET /%2e%2e/%2e%2e/%2e%2e/etc/passwd", &[], b"", &[404]);
    list.own("a folder of the program", "GET /assets/../Cargo.toml", &[], b"", &[404]);
    let outside = json!({ "file": "../secret.pml" }).to_string().into_bytes();
    list.own("a model outside", "POST /api/lang/all", &[JSON], &outside, &[400]);
    list.own("a check of a model outside", "POST /api/jobs", &[JSON], &outside, &[400]);
    let linked = json!({ "file": "link.pml" }).to_string().into_bytes();
    list.own("a check of a linked model", "POST /api/jobs", &[JSON], &linked, &[404]);
    let texts = json!({ "file": "a.pml", "texts": { "../../a.pml": "byte x;" } }).to_string().into_bytes();
    list.own("a text outside", "POST /api/jobs", &[JSON], &texts, &[400]);
    for (name, included) in
        [("an included file outside", "../secret.h"), ("an included file of the system", "/etc/passwd")]
    {
        let text = format!("#include \"{included}\"\nactive proctype P() {{ skip }}\n");
        let body = json!({ "file": "a.pml", "texts": { "a.pml": text } }).to_string().into_bytes();
        list.own(name, "POST /api/jobs", &[JSON], &body, &[422]);
    }
    let name = "../../../../etc/passwd";
    list.own("an example outside", &format!("GET /api/examples/{}", name.replace('/', "%2f")), &[], b"", &[404]);
}

fn bodies(list: &mut List<'_>) {
    let line = "POST /api/lang/all";
    list.own("a body that is declared too large", line, &[JSON, "Content-Length: 99999999999"], b"{}", &[413]);
    let chunk = format!("1000000\r\n{}\r\n", "a".repeat(0x100_0000));
    let chunks = format!("{chunk}{chunk}0\r\n\r\n").into_bytes();
    list.own("a body that is too large", line, &[JSON, "Transfer-Encoding: chunked"], &chunks, &[413, 0]);
    list.own("broken UTF-8", line, &[JSON], b"{\"file\":\"\xff\xfe.pml\"}", &[400]);
    list.own("half a pair of words", line, &[JSON], b"{\"file\":\"\\ud800.pml\"}", &[400]);
    list.own("broken JSON", line, &[JSON], b"{\"file\":", &[400]);
    list.own("deep JSON", line, &[JSON], "[".repeat(1_000_000).as_bytes(), &[400]);
    list.own("a list", line, &[JSON], b"[1]", &[400]);
    list.own("a number", line, &[JSON], b"7", &[400]);
    list.own("a form", line, &["Content-Type: application/x-www-form-urlencoded"], b"file=short.pml", &[415]);
    list.own("plain text", line, &["Content-Type: text/plain"], b"{\"file\":\"short.pml\"}", &[415]);
    list.own("no type", line, &[], b"{\"file\":\"short.pml\"}", &[415]);
    list.own("a negative length", line, &[JSON, "Content-Length: -1"], b"", &[400]);
    list.own("a length that is no number", line, &[JSON, "Content-Length: 2, 3"], b"{}", &[400]);
    list.own("a broken chunk", line, &[JSON, "Transfer-Encoding: chunked"], b"zz\r\n{}\r\n0\r\n\r\n", &[400, 413, 0]);
    list.own("a long address", &format!("GET /api/file?path={}", "a".repeat(10_000)), &[], b"", &[414]);
    let many: Vec<String> = (0..200).map(|n| format!("X-{n}: 1")).collect();
    list.own("many lines", "GET /api/files", &many.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[431, 400]);
    list.own("a long line", "GET /api/files", &[&format!("X: {}", "a".repeat(100_000))], b"", &[431, 400, 0]);
    list.own("another method", "PATCH /api/files", &[], b"", &[405]);
    list.own("writing the page", "PUT /index.html", &[], b"", &[405]);
    list.add("no request at all", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), &[400, 0]);
    list.add("another protocol", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), &[400, 505, 0]);
    list.add("a line break in the address", b"GET /api/files\r\nX: 1 HTTP/1.1\r\n\r\n".to_vec(), &[400, 0]);
}

fn arguments(list: &mut List<'_>) {
    let wrong: [(&'static str, Value); 10] = [
        ("an option that names a file", json!({ "trail": "pwned" })),
        ("an option that names a log", json!({ "log": "pwned" })),
        ("an automaton in a file", json!({ "hoa": ["/etc/passwd"] })),
        ("a formula in a file", json!({ "ltl_file": ["/etc/passwd"] })),
        ("a command in a size", json!({ "mem": "1G; touch pwned" })),
        ("a command in a time", json!({ "timeout": "1s $(touch pwned)" })),
        ("an option in a choice", json!({ "search": "dfs --log pwned" })),
        ("a huge number of threads", json!({ "threads": 1_000_000 })),
        ("a zero byte in a formula", json!({ "ltl": ["p\u{0}q"] })),
        ("a list of lists", json!({ "ltl": [["p"]] })),
    ];
    for (name, options) in wrong {
        let body = json!({ "file": "short.pml", "options": options }).to_string();
        list.own(name, "POST /api/jobs", &[JSON], body.as_bytes(), &[422]);
    }
    let define = json!({ "file": "short.pml", "define": ["-I/etc"] }).to_string();
    list.own("an option as a macro", "POST /api/jobs", &[JSON], define.as_bytes(), &[422]);
    let machine = json!({ "file": "short.pml", "machine": "sh -c" }).to_string();
    list.own("a machine that does not exist", "POST /api/jobs", &[JSON], machine.as_bytes(), &[422]);
    for (name, line) in [
        ("a job that does not exist", "GET /api/jobs/999999"),
        ("a job that is no number", "GET /api/jobs/..%2f1"),
        ("a job with a number too large", "GET /api/jobs/99999999999999999999999"),
        ("a session that does not exist", "GET /api/sessions/s0-00000000"),
        ("a request that does not exist", "POST /api/sessions/s0-00000000/eval"),
        ("accounts of one person", "GET /api/users"),
        ("a path that does not exist", "GET /api/../api/jobs"),
    ] {
        list.own(name, line, &[], b"", &[404]);
    }
}

#[test]
fn every_attack_is_refused() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    let mut list = List { server: &server, attacks: Vec::new() };
    for add in [identity, origins, paths, bodies, arguments] {
        add(&mut list);
    }
    let attacks = list.attacks;
    assert!(attacks.len() >= 90, "{} attacks", attacks.len());
    for (number, attack) in attacks.iter().enumerate() {
        let reply = raw_within(server.port, &attack.bytes, Duration::from_secs(30));
        assert!(attack.refused.contains(&reply.status), "{}: {} {}", attack.name, reply.status, reply.body);
        assert!(!reply.body.contains(SECRET), "{} tells the secret", attack.name);
        assert!(!reply.body.contains("root:"), "{} tells a file of the system", attack.name);
        assert!(!reply.head.contains("access-control-allow"), "{}: other origins are let in", attack.name);
        if number % 8 == 7 {
            // The server limits the rate of requests, too.
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert!(server.is_alive());
    assert!(!has_pwned(trap.path()), "a file was written");
    let listed = server.get("/api/files").to_string();
    assert!(!listed.contains("secret") && !listed.contains("hidden") && !listed.contains("link"), "{listed}");
    println!("{} attacks refused", attacks.len());
}

/// Whether a file was made that an attack would have made.
fn has_pwned(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries.into_iter().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let is_own = name == "--log=pwned.pml";
        (name.contains("pwned") && !is_own) || (path.is_dir() && !path.is_symlink() && has_pwned(&path))
    })
}

#[test]
fn texts_of_users_do_not_reach_a_shell() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    let nasty = ["$(touch pwned)", "`touch pwned`", "x; touch pwned", "x' && touch pwned #", "--log=pwned"];
    for text in nasty {
        let body = json!({ "file": "short.pml", "options": { "ltl": [format!("[] ({text})")] } });
        let reply = server.ask("POST /api/jobs", Some(&body));
        if reply.status == 201 {
            let ended = server.ended(&server.identity, reply.json()["id"].as_str().unwrap());
            assert_ne!(ended["verdict"], "holds", "{text}");
        }
        let line = server.post("/api/command", &body);
        assert_eq!(line["argv"][2], format!("--ltl=[] ({text})"), "{text}");
    }
    // A file whose name looks like an option is a file.
    let job = server.post("/api/jobs", &json!({ "file": "--log=pwned.pml" }));
    let ended = server.ended(&server.identity, job["id"].as_str().unwrap());
    assert_eq!(ended["verdict"], "holds", "{ended}");
    assert!(!has_pwned(trap.path()));
}

#[test]
fn included_files_of_others_are_not_shown() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    for path in ["../secret.h", "/etc/passwd", "folder/secret.pml", "link.pml"] {
        let text = format!("#include \"{path}\"\nactive proctype P() {{ skip }}\n");
        let reply = server.ask("POST /api/lang/all", Some(&json!({ "file": "a.pml", "texts": { "a.pml": text } })));
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["diagnostics"][0]["severity"], "error", "{path}");
        assert!(!reply.body.contains(SECRET) && !reply.body.contains("root:"), "{path}: {}", reply.body);
        let body = json!({ "kind": "simulation", "file": "a.pml", "texts": { "a.pml": text } });
        let reply = server.ask("POST /api/sessions", Some(&body));
        assert_eq!(reply.status, 422, "{path}: {}", reply.body);
    }
}

#[test]
fn slow_clients_do_not_stop_others() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    let begin = |text: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        stream.write_all(text.as_bytes()).expect("a beginning");
        stream
    };
    let heads: Vec<TcpStream> = (0..200).map(|_| begin("GET /api/hello HTTP/1.1\r\nHost: 127.0.0.1")).collect();
    let post = format!(
        "POST /api/lang/all HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n{JSON}\r\nContent-Length: 1000\r\n\r\n{{",
        server.port, server.identity[0]
    );
    let bodies: Vec<TcpStream> = (0..50).map(|_| begin(&post)).collect();
    assert!(server.is_alive(), "others are served meanwhile");
    for mut stream in heads.into_iter().chain(bodies) {
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the server ends the connection");
        let text = String::from_utf8_lossy(&answer).into_owned();
        assert!(text.is_empty() || text.contains(" 408 "), "{text}");
    }
    assert!(server.is_alive());
}

#[test]
fn many_jobs_at_once_wait_or_are_refused() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    let body = json!({ "file": "long.pml", "options": { "mem": "64M", "threads": 1 } }).to_string();
    let mut head = server.identity.clone();
    head.push(JSON.to_string());
    let bytes = request(server.port, "POST /api/jobs", &head, body.as_bytes());
    let ask = || (0..125).map(|_| raw(server.port, &bytes).status).collect::<Vec<u16>>();
    let threads: Vec<Vec<u16>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let answers: Vec<u16> = threads.concat();
    assert_eq!(answers.len(), 1000);
    let taken = answers.iter().filter(|status| **status == 201).count();
    assert!((1..=110).contains(&taken), "{taken} jobs are taken");
    assert!(answers.iter().all(|status| [201, 429].contains(status)), "{answers:?}");
    std::thread::sleep(Duration::from_secs(4));
    assert!(server.is_alive());
    let jobs = server.get("/api/jobs");
    let running = jobs.as_array().unwrap().iter().filter(|job| job["state"] == "running").count();
    assert!(running <= 4, "{running} jobs run");
}

#[test]
fn a_model_that_needs_much_hurts_only_its_job() {
    let trap = trap();
    let server = Server::ui(&trap.path().join("project"));
    let job = server.post("/api/jobs", &json!({ "file": "long.pml", "options": { "mem": "64M", "threads": 1 } }));
    let endless = "byte x; active proctype P() { d_step { do :: x++ od } }\n";
    let session = json!({ "kind": "simulation", "file": "e.pml", "texts": { "e.pml": endless } });
    let reply = server.ask("POST /api/sessions", Some(&session));
    assert!([200, 422, 504].contains(&reply.status), "{}", reply.body);
    let deep = format!("active proctype P() {{ {} skip {} }}\n", "{".repeat(100_000), "}".repeat(100_000));
    let reply = server.ask("POST /api/lang/all", Some(&json!({ "file": "d.pml", "texts": { "d.pml": deep } })));
    assert!([200, 503, 504].contains(&reply.status), "{}", reply.body);
    let ended = server.ended(&server.identity, job["id"].as_str().unwrap());
    assert_ne!(ended["verdict"], "holds", "{ended}");
    assert!(server.is_alive());
    assert_eq!(server.post("/api/lang/all", &json!({ "file": "short.pml" }))["diagnostics"], json!([]));
}
