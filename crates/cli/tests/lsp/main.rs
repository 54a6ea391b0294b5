//! The language server from outside: random edits with requests in between, against a fresh server.

mod client;

use std::path::{Path, PathBuf};
use std::time::Instant;

use client::Client;
use kripke_tests::places;
use serde_json::{Value, json};

/// A generator of random numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most.max(1)
    }
}

/// Fragments that edits insert: words of all languages, unfinished text, characters of one to four bytes.
const FRAGMENTS: [&str; 30] = [
    "byte x;\n",
    "}",
    "{",
    " do :: ",
    " od ",
    "if\n",
    "fi;\n",
    "/*",
    "*/",
    "//",
    "\n",
    "é",
    "\u{1f600}",
    "proctype P() {",
    "ltl p { [] ",
    "#define N 3\n",
    "#if N\n",
    "#endif\n",
    "inline f(a) { a = 1 }\n",
    "f(x);\n",
    "trans a -> b { };\n",
    "process Q { ",
    "state s; ",
    "BEGIN",
    "END",
    "[]",
    "(*",
    "q!m(1);",
    ".",
    "@",
];

/// A text that is edited like a document: positions count words of sixteen bits.
struct Text(String);

impl Text {
    fn position(&self, offset: usize) -> Value {
        let before = &self.0[..offset];
        let normalised = before.replace("\r\n", "\n").replace('\r', "\n");
        let line = normalised.matches('\n').count();
        let last = normalised.rsplit('\n').next().unwrap_or_default();
        json!({ "line": line, "character": last.encode_utf16().count() })
    }

    fn boundary(&self, mut at: usize) -> usize {
        at = at.min(self.0.len());
        while !self.0.is_char_boundary(at) || at > 0 && self.0[..at].ends_with('\r') {
            at -= 1;
        }
        at
    }

    /// A random edit as a change of the protocol.
    fn edit(&mut self, random: &mut Random) -> Value {
        let start = self.boundary(random.below(self.0.len() + 1));
        let length = if random.below(3) == 0 { random.below(12) } else { 0 };
        let end = self.boundary(start + length).max(start);
        let new = if random.below(4) == 0 { "" } else { FRAGMENTS[random.below(FRAGMENTS.len())] };
        let range = json!({ "start": self.position(start), "end": self.position(end) });
        self.0.replace_range(start..end, new);
        json!({ "range": range, "text": new })
    }
}

/// The answers of a server to all requests about a text, at one position.
fn answers(client: &mut Client, uri: &str, at: &Value, whole: &Value) -> Vec<(String, Value)> {
    let document = json!({ "uri": uri });
    let mut out = Vec::new();
    for method in [
        "completion",
        "hover",
        "signatureHelp",
        "definition",
        "references",
        "documentHighlight",
        "documentSymbol",
        "codeAction",
        "codeLens",
        "formatting",
        "prepareRename",
        "rename",
        "foldingRange",
        "inlayHint",
        "semanticTokens/full",
    ] {
        let mut params = json!({ "textDocument": document, "position": at, "newName": "fresh" });
        params["range"] = whole.clone();
        params["context"] = json!({ "includeDeclaration": true, "diagnostics": [] });
        params["options"] = json!({ "tabSize": 4, "insertSpaces": true });
        let answer = client.request(&format!("textDocument/{method}"), params).unwrap_or_else(|error| error);
        assert_ne!(answer["code"], -32801, "{method}: the answer is stale though nothing changed");
        out.push((method.to_string(), answer));
    }
    out
}

/// No range of an answer lies outside of the text.
fn check_positions(value: &Value, lines: &[usize]) {
    if let (Some(line), Some(character)) = (value["line"].as_u64(), value["character"].as_u64()) {
        let length = lines.get(line as usize).unwrap_or_else(|| panic!("no line {line}: {value}"));
        assert!(character as usize <= *length, "line {line} has no character {character}");
    }
    let parts: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    };
    parts.into_iter().for_each(|part| check_positions(part, lines));
}

fn models() -> Vec<PathBuf> {
    let mut out = Vec::new();
    let folders = [places::root().join("examples")].into_iter();
    let corpus =
        places::corpus().into_iter().flat_map(|c| ["promela/spin", "promela/micro", "dve", "esml"].map(|f| c.join(f)));
    for folder in folders.chain(corpus) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_string();
            let small = entry.metadata().is_ok_and(|data| data.is_file() && data.len() < 6000);
            if small && ["pml", "dve", "mdve", "esml"].contains(&ending.as_str()) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

fn line_lengths(text: &str) -> Vec<usize> {
    text.replace("\r\n", "\n").replace('\r', "\n").split('\n').map(|line| line.encode_utf16().count()).collect()
}

/// Edits one model, and compares with a fresh server every so many edits.
fn edit_model(client: &mut Client, path: &Path, edits: usize, random: &mut Random) {
    let uri = format!("file://{}", path.display()).replace(' ', "%20");
    let original = String::from_utf8_lossy(&std::fs::read(path).expect("a model")).into_owned();
    let mut text = Text(original);
    client.open(&uri, &text.0);
    let mut version = 1;
    for number in 1..=edits {
        version += 1;
        let count = 1 + random.below(2);
        let changes: Vec<Value> = (0..count).map(|_| text.edit(random)).collect();
        let document = json!({ "uri": uri, "version": version });
        client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        if number % 5 == 0 {
            let at = text.position(text.boundary(random.below(text.0.len() + 1)));
            let params = json!({ "textDocument": { "uri": uri }, "position": at });
            let method = ["hover", "completion", "definition", "documentSymbol", "foldingRange"][random.below(5)];
            client.request(&format!("textDocument/{method}"), params).expect("an answer");
        }
    }
    let at = text.position(text.boundary(random.below(text.0.len() + 1)));
    let whole = json!({ "start": text.position(0), "end": text.position(text.0.len()) });
    let ours = answers(client, &uri, &at, &whole);
    let diagnostics = client.diagnostics(&uri, version);
    let mut fresh = Client::start();
    fresh.open(&uri, &text.0);
    let theirs = answers(&mut fresh, &uri, &at, &whole);
    assert_eq!(ours, theirs, "{}:\n{}", path.display(), text.0);
    assert_eq!(diagnostics, fresh.diagnostics(&uri, 1), "{}:\n{}", path.display(), text.0);
    let lines = line_lengths(&text.0);
    let own = ours.iter().filter(|(method, _)| !["definition", "references"].contains(&method.as_str()));
    own.for_each(|(_, answer)| check_positions(answer, &lines));
    assert_eq!(fresh.finish(), 0);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    client.heard.clear();
}

/// `KRIPKE_EDITS` is the number of edits.
#[test]
fn after_random_edits_the_answers_are_those_of_a_fresh_server() {
    let edits: usize = places::setting("KRIPKE_EDITS", 2000);
    let models = models();
    let mut random = Random(places::setting("KRIPKE_EDITS_SEED", 0x9e37_79b9_7f4a_7c15));
    let mut client = Client::start();
    let (mut done, mut rounds) = (0, 0);
    while done < edits {
        let path = &models[random.below(models.len())];
        let round = 20 + random.below(30);
        edit_model(&mut client, path, round, &mut random);
        (done, rounds) = (done + round, rounds + 1);
    }
    places::notice(&format!("{done} edits of {rounds} documents"));
    assert_eq!(client.finish(), 0);
}

/// The time from a key press to the diagnostics of a model of two thousand lines. It is printed, not judged.
#[test]
fn diagnostics_of_a_long_model() {
    let mut text = String::from("mtype = { m, n };\nchan q = [2] of { mtype, byte };\nbyte x;\n");
    for process in 0..52 {
        text.push_str(&format!("active proctype P{process}() {{\n\tbyte y;\n\tdo\n"));
        for option in 0..11 {
            text.push_str(&format!("\t:: q?m(y) ->\n\t   x = y + {option};\n\t   q!n(x)\n"));
        }
        text.push_str("\tod\n}\n\n");
    }
    let mut client = Client::start();
    let uri = "file:///long/model.pml";
    client.open(uri, &text);
    assert_eq!(client.diagnostics(uri, 1), json!([]), "the model has no errors");
    let mut times = Vec::new();
    for version in 2..12 {
        let at = json!({ "line": 2, "character": 5 });
        let change = json!({ "range": { "start": at, "end": at }, "text": if version % 2 == 0 { "z" } else { "" } });
        let change = if version % 2 == 0 { change } else { json!({ "text": text }) };
        let document = json!({ "uri": uri, "version": version });
        let start = Instant::now();
        client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
        let diagnostics = client.diagnostics(uri, version);
        times.push(start.elapsed());
        assert_eq!(diagnostics.as_array().map(Vec::is_empty), Some(version % 2 == 1), "a renamed variable is an error");
    }
    times.sort();
    let lines = text.lines().count();
    places::notice(&format!(
        "{lines} lines: diagnostics after {:?} (median of {})",
        times[times.len() / 2],
        times.len()
    ));
    assert_eq!(client.finish(), 0);
}

/// Twelve counters that count independently: far more states than a test waits for.
const ENDLESS: &str = "byte n[12]; active [12] proctype P() { do :: n[_pid]++ od }\n";

#[test]
fn a_check_that_runs_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("endless.pml");
    std::fs::write(&path, ENDLESS).expect("a file");
    let uri = format!("file://{}", path.display());
    let mut client = Client::start();
    client.open(&uri, ENDLESS);
    let command = json!({ "command": "kripke.check", "arguments": [uri] });
    let token = client.request("workspace/executeCommand", command).expect("a token")["token"].clone();
    client.progress(&token, "begin");
    // Other requests are answered meanwhile.
    let symbols =
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })).expect("symbols");
    assert!(symbols.as_array().is_some_and(|all| all.len() == 2), "{symbols}");
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(client.progress(&token, "end")["message"], "stopped");
    let is_create = |message: &Value| message["method"] == "window/workDoneProgress/create";
    assert!(!client.heard.iter().any(is_create), "the client has not said that it can create progress");
    assert_eq!(client.finish(), 0);
}

#[test]
fn symbols_of_the_workspace_are_also_those_of_files_that_are_not_open() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("more")).expect("a folder");
    std::fs::write(folder.path().join("a.pml"), "byte counter;\nactive proctype P() { counter++ }\n").expect("a file");
    std::fs::write(
        folder.path().join("more/b.dve"),
        "int counters; process Q { state s; init s; trans ; } system async;",
    )
    .expect("a file");
    std::fs::write(folder.path().join("counter.txt"), "byte counter;").expect("a file");
    let folders = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "models" }]);
    let mut client = Client::start_with(json!({ "capabilities": {}, "workspaceFolders": folders }));
    let ask = |client: &mut Client| {
        let found = client.request("workspace/symbol", json!({ "query": "COUNT" })).expect("symbols");
        let name = |symbol: &Value| symbol["name"].as_str().unwrap_or_default().to_string();
        found.as_array().expect("a list").iter().map(name).collect::<Vec<String>>()
    };
    assert_eq!(ask(&mut client), ["counter", "counters"]);
    // An open document takes the place of its file.
    client.open(&format!("file://{}", folder.path().join("a.pml").display()), "byte count, mark;\n");
    assert_eq!(ask(&mut client), ["count", "counters"]);
    assert_eq!(client.finish(), 0);
}

/// A folder with a header and two models that include it, and the address of each file.
fn shared_header() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_path_buf();
    std::fs::create_dir(root.join("models")).expect("a folder");
    for (name, text) in [
        ("library.h", "byte shared;\n"),
        ("models/a.pml", "#include \"../library.h\"\nactive proctype A() { shared = 1 }\n"),
        ("models/b.pml", "#include \"../models/../library.h\"\nactive proctype B() { assert(shared == 0) }\n"),
    ] {
        std::fs::write(root.join(name), text).expect("a file");
    }
    (folder, move |name: &str| format!("file://{}", root.join(name).display()))
}

fn workspace(uri: &str) -> Value {
    let watching = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
    json!({ "capabilities": { "workspace": watching }, "workspaceFolders": [{ "uri": uri, "name": "models" }] })
}

#[test]
fn a_rename_reaches_every_model_that_includes_the_file() {
    let (_folder, uri) = shared_header();
    let mut client = Client::start_with(workspace(&uri("")));
    // The text of the open header counts, not that of its file.
    client.open(&uri("library.h"), "/* */ byte common;\n");
    client.open(&uri("models/a.pml"), "#include \"../library.h\"\nactive proctype A() { common = 1 }\n");
    let at = json!({ "line": 0, "character": 12 });
    let params = json!({ "textDocument": { "uri": uri("library.h") }, "position": at, "newName": "fresh" });
    let edits = client.request("textDocument/rename", params.clone()).expect("edits")["changes"].clone();
    let line = |name: &str| edits[uri(name)][0]["range"]["start"].clone();
    assert_eq!(line("library.h"), json!({ "line": 0, "character": 11 }), "{edits}");
    assert_eq!(line("models/a.pml"), json!({ "line": 1, "character": 22 }), "{edits}");
    assert_eq!(edits.as_object().map(serde_json::Map::len), Some(2), "{edits}");
    // A model of the workspace that is not open is edited too, or keeps the name from being changed.
    std::fs::write(
        uri("models/b.pml").trim_start_matches("file://"),
        "#include \"../library.h\"\ninit { common = 2 }\n",
    )
    .expect("a file");
    let edits = client.request("textDocument/rename", params.clone()).expect("edits")["changes"].clone();
    assert_eq!(edits[uri("models/b.pml")][0]["range"]["start"], json!({ "line": 1, "character": 7 }), "{edits}");
    let taken = "#include \"../library.h\"\ninit { byte fresh; common = fresh }\n";
    std::fs::write(uri("models/b.pml").trim_start_matches("file://"), taken).expect("a file");
    let why = client.request("textDocument/rename", params).expect_err("a refusal");
    assert!(why["message"].as_str().is_some_and(|why| why.contains("b.pml")), "{why}");
    assert_eq!(client.finish(), 0);
}

#[test]
fn results_stay_until_a_file_of_the_model_changes() {
    let (folder, uri) = shared_header();
    let mut client = Client::start_with(workspace(&uri("")));
    let b = uri("models/b.pml");
    let text = std::fs::read_to_string(folder.path().join("models/b.pml")).expect("a text");
    client.open(&b, &text);
    assert_eq!(client.diagnostics(&b, 1), json!([]));
    let command = json!({ "command": "kripke.check", "arguments": [b] });
    let token = client.request("workspace/executeCommand", command).expect("a token")["token"].clone();
    // Saving the document and a change of a file that the model does not read change nothing.
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": b } }));
    let changed = |name: &str| json!({ "changes": [{ "uri": uri(name), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changed("models/a.pml"));
    assert_eq!(client.progress(&token, "end")["message"], "holds");
    let is_registered = client.heard.iter().any(|message| message["method"] == "client/registerCapability");
    assert!(is_registered, "{:?}", client.heard);
    let lenses = |client: &mut Client| {
        let params = json!({ "textDocument": { "uri": b } });
        client.request("textDocument/codeLens", params).expect("lenses").to_string()
    };
    assert!(lenses(&mut client).contains("(holds)"));
    std::fs::write(folder.path().join("library.h"), "byte shaved;\n").expect("a file");
    client.heard.clear();
    client.notify("workspace/didChangeWatchedFiles", changed("library.h"));
    assert_ne!(client.diagnostics(&b, 1), json!([]), "the variable has gone");
    assert!(!lenses(&mut client).contains("(holds)"));
    assert_eq!(client.finish(), 0);
}
