//! The rules of two schemas, as far as our documents use them: `junit-10.xsd` of Jenkins' xUnit plugin, and the JSON schema of SARIF
//! 2.1.0. Both are closed: an element, attribute or field that is not listed is an error.

use roxmltree::{Document, Node};
use serde_json::Value;

type Names = &'static [&'static str];
type Element = (&'static str, Names, Names, Names, bool);

/// Elements of JUnit: name, required attributes, other attributes, elements inside, and whether text is allowed.
const ELEMENTS: [Element; 6] = [
    ("testsuites", &[], &["name", "time", "tests", "failures", "errors"], &["testsuite"], false),
    (
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
        false,
    ),
    (
        "testcase",
        &["name"],
        &["time", "classname", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
        false,
    ),
    ("failure", &[], &["type", "message"], &[], true),
    ("error", &[], &["type", "message"], &[], true),
    ("system-out", &[], &[], &[], true),
];

pub fn check_junit(text: &str) -> Result<(), String> {
    let document = Document::parse(text).map_err(|e| e.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "testsuites" {
        return Err("the root is another element".to_string());
    }
    element(root)
}

fn element(node: Node<'_, '_>) -> Result<(), String> {
    let name = node.tag_name().name();
    let rule = ELEMENTS.iter().find(|(element, ..)| *element == name).ok_or(format!("unknown element {name}"))?;
    let (_, required, optional, inside, mixed) = rule;
    if let Some(missing) = required.iter().find(|a| node.attribute(**a).is_none()) {
        return Err(format!("{name} without {missing}"));
    }
    for attribute in node.attributes() {
        let known = |a: &&str| *a == attribute.name();
        if !required.iter().any(known) && !optional.iter().any(known) {
            return Err(format!("{name} has an attribute {}", attribute.name()));
        }
        if attribute.name() == "time" && attribute.value().parse::<f64>().is_err() {
            return Err(format!("{name} has a time {}", attribute.value()));
        }
    }
    for child in node.children() {
        if child.is_text() && !mixed && !child.text().unwrap_or_default().trim().is_empty() {
            return Err(format!("{name} has a text"));
        }
        if child.is_element() {
            if !inside.contains(&child.tag_name().name()) {
                return Err(format!("{name} contains {}", child.tag_name().name()));
            }
            element(child)?;
        }
    }
    Ok(())
}

/// The type of a field of SARIF.
#[derive(Clone, Copy)]
enum Type {
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// An integer that is at least so large.
    Integer(i64),
    Flag,
    Object(&'static str),
    List(&'static str),
    /// A property bag: any fields.
    Any,
}

type Field = (&'static str, Type, bool);

/// The objects of SARIF with their fields, and whether each is required.
const OBJECTS: [(&str, &[Field]); 18] = [
    (
        "sarifLog",
        &[("$schema", Type::Text, false), ("version", Type::Word(&["2.1.0"]), true), ("runs", Type::List("run"), true)],
    ),
    (
        "run",
        &[
            ("tool", Type::Object("tool"), true),
            ("columnKind", Type::Word(&["utf16CodeUnits", "unicodeCodePoints"]), false),
            ("invocations", Type::List("invocation"), false),
            ("results", Type::List("result"), false),
        ],
    ),
    ("tool", &[("driver", Type::Object("toolComponent"), true)]),
    (
        "toolComponent",
        &[
            ("name", Type::Text, true),
            ("version", Type::Text, false),
            ("rules", Type::List("reportingDescriptor"), false),
        ],
    ),
    (
        "reportingDescriptor",
        &[("id", Type::Text, true), ("shortDescription", Type::Object("multiformatMessageString"), false)],
    ),
    ("multiformatMessageString", &[("text", Type::Text, true)]),
    (
        "invocation",
        &[("executionSuccessful", Type::Flag, true), ("toolExecutionNotifications", Type::List("notification"), false)],
    ),
    (
        "notification",
        &[
            ("level", Type::Word(&LEVELS), false),
            ("message", Type::Object("message"), true),
            ("locations", Type::List("location"), false),
        ],
    ),
    (
        "result",
        &[
            ("ruleId", Type::Text, false),
            ("ruleIndex", Type::Integer(-1), false),
            ("level", Type::Word(&LEVELS), false),
            ("message", Type::Object("message"), true),
            ("locations", Type::List("location"), false),
            ("codeFlows", Type::List("codeFlow"), false),
            ("properties", Type::Any, false),
        ],
    ),
    ("message", &[("text", Type::Text, true)]),
    (
        "location",
        &[
            ("physicalLocation", Type::Object("physicalLocation"), false),
            ("logicalLocations", Type::List("logicalLocation"), false),
            ("message", Type::Object("message"), false),
        ],
    ),
    ("logicalLocation", &[("name", Type::Text, false), ("kind", Type::Text, false)]),
    (
        "physicalLocation",
        &[("artifactLocation", Type::Object("artifactLocation"), true), ("region", Type::Object("region"), false)],
    ),
    ("artifactLocation", &[("uri", Type::Text, false)]),
    ("region", &[("startLine", Type::Integer(1), false), ("startColumn", Type::Integer(1), false)]),
    ("codeFlow", &[("threadFlows", Type::List("threadFlow"), true)]),
    ("threadFlow", &[("locations", Type::List("threadFlowLocation"), true)]),
    ("threadFlowLocation", &[("location", Type::Object("location"), false)]),
];

const LEVELS: [&str; 4] = ["none", "note", "warning", "error"];

/// Lists that must not be empty.
const NOT_EMPTY: [&str; 2] = ["threadFlow", "threadFlowLocation"];

pub fn check_sarif(document: &Value) -> Result<(), String> {
    object("sarifLog", document)?;
    for run in document["runs"].as_array().into_iter().flatten() {
        let rules = run["tool"]["driver"]["rules"].as_array().map_or(&[][..], |rules| rules);
        for result in run["results"].as_array().into_iter().flatten() {
            let index = result["ruleIndex"].as_u64().ok_or("a result without an index of its rule")?;
            let rule = rules.get(index as usize).ok_or(format!("there is no rule {index}"))?;
            if rule["id"] != result["ruleId"] {
                return Err(format!("rule {index} is not {}", result["ruleId"]));
            }
        }
    }
    Ok(())
}

fn object(name: &str, value: &Value) -> Result<(), String> {
    let (_, fields) = OBJECTS.iter().find(|(object, _)| *object == name).ok_or(format!("no rules for {name}"))?;
    let found = value.as_object().ok_or(format!("{name} is no object: {value}"))?;
    if let Some((missing, ..)) = fields.iter().find(|(field, _, required)| *required && !found.contains_key(*field)) {
        return Err(format!("{name} without {missing}"));
    }
    for (field, value) in found {
        let known = fields.iter().find(|(known, ..)| known == field);
        let (_, kind, _) = known.ok_or(format!("{name} has a field {field}"))?;
        check(*kind, value).map_err(|e| format!("{name}.{field}: {e}"))?;
    }
    Ok(())
}

fn check(kind: Type, value: &Value) -> Result<(), String> {
    let right = match kind {
        Type::Any => value.is_object(),
        Type::Flag => value.is_boolean(),
        Type::Text => value.is_string(),
        Type::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Type::Integer(least) => value.as_i64().is_some_and(|n| n >= least),
        Type::Object(name) => return object(name, value),
        Type::List(name) => {
            let list = value.as_array().ok_or("no list")?;
            let empty = list.is_empty() && NOT_EMPTY.contains(&name);
            return if empty { Err("empty".to_string()) } else { list.iter().try_for_each(|v| object(name, v)) };
        }
    };
    if right { Ok(()) } else { Err(format!("wrong value {value}")) }
}
