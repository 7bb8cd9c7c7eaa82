//! Every text of CPN ML in other people's models is read and typed.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something is not as expected"
)]

use std::path::PathBuf;

use roxmltree::{Document, Node, ParsingOptions};

use sweepline_cpn::ml::{ColourDecl, Declarations, Expect, MlErrors, Origin, Text};

/// Declarations that are wrong or concern others than the model. Nothing of the nets uses them.
const WRONG: [(&str, &str); 6] = [
    // `var dp : DATAP`, a colour set that is nowhere.
    ("cpnbook-3-1UnionRecord", "there is no colour set `DATAP`"),
    (
        "cpnbook-12-1PerformanceProtocol",
        "`CPN'PerfReport.selectUntimedStats` concerns others than the model",
    ),
    (
        "cpnbook-12-1PerformanceProtocol",
        "`CPN'PerfReport.selectTimedStats` concerns others than the model",
    ),
    ("QueueSystem", "there is no type `TextIO.outstream`"),
    (
        "QueueSystem",
        "`fileid` cannot be used: there is no type `TextIO.outstream`",
    ),
    (
        "QueueSystem",
        "`OS.Path.concat` concerns others than the model",
    ),
];

#[test]
fn every_text_is_read_and_typed() {
    let Some(files) = files() else {
        return;
    };
    let mut wrong = Vec::new();
    let mut texts = 0;
    for (name, text) in &files {
        let mut reader = Reader::default();
        let options = ParsingOptions {
            allow_dtd: true,
            ..ParsingOptions::default()
        };
        reader.file(&Document::parse_with_options(text, options).unwrap());
        texts += reader.texts;
        wrong.extend(reader.wrong.into_iter().map(|error| (name.clone(), error)));
    }
    let mut expected: Vec<(String, String)> = WRONG
        .iter()
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect();
    expected.sort();
    wrong.sort();
    assert_eq!(wrong, expected);
    assert_eq!(files.len(), 40);
    assert!(texts > 1500, "{texts}");
}

/// The folder of each file, and its text.
fn files() -> Option<Vec<(String, String)>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let folder =
        std::env::var_os("SWEEPLINE_CORPUS").map_or_else(|| PathBuf::from(own), PathBuf::from);
    let Ok(folders) = std::fs::read_dir(folder.join("cpn")) else {
        eprintln!("skipped: there is no corpus");
        return None;
    };
    let mut all = Vec::new();
    for folder in folders {
        let folder = folder.unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if text.contains("<workspaceElements") {
                all.push((folder.file_name().to_string_lossy().into_owned(), text));
            }
        }
    }
    all.sort();
    Some(all)
}

#[derive(Default)]
struct Reader {
    model: Declarations,
    wrong: Vec<String>,
    texts: usize,
}

impl Reader {
    fn file(&mut self, document: &Document) {
        let root = document.root();
        let globals = root.descendants().find(|node| node.has_tag_name("globbox"));
        for node in globals.iter().flat_map(Node::descendants) {
            let nested = node.parent().is_some_and(|parent| {
                !parent.has_tag_name("block") && !parent.has_tag_name("globbox")
            });
            if nested {
                continue;
            }
            match node.tag_name().name() {
                "color" => self.colour(node),
                "var" => self.variable(node),
                "ml" => self.declaration(&own_text(node)),
                "globref" => {
                    let name = child_text(node, "id");
                    let value = child_text(node, "ml");
                    let result =
                        self.model
                            .reference(&name, &value, &Origin::of_text("globref", &value));
                    self.note(result);
                }
                _ => {}
            }
        }
        for page in root.descendants().filter(|node| node.has_tag_name("page")) {
            self.page(page);
        }
    }

    fn note(&mut self, result: Result<(), MlErrors>) {
        self.texts += 1;
        if let Err(errors) = result {
            let cause =
                |message: String| message.split_once(": ").map(|(_, cause)| cause.to_string());
            let messages = errors.iter().map(ToString::to_string);
            self.wrong.extend(messages.filter_map(cause));
        }
    }

    fn declaration(&mut self, text: &str) {
        let result = self.model.declare(text, &Origin::of_text("ml", text));
        self.note(result);
    }

    fn variable(&mut self, node: Node) {
        let names: Vec<String> = ids(node);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let colour = child_text(child(node, "type").unwrap(), "id");
        let result = self
            .model
            .variables(&names, &colour, &Origin::of_text("var", "var"));
        self.note(result.map(|_| ()));
    }

    fn colour(&mut self, node: Node) {
        let name = child_text(node, "id");
        let timed = child(node, "timed").is_some();
        let kind = node.children().find(|child| {
            child.is_element() && !["id", "timed", "layout"].contains(&child.tag_name().name())
        });
        let decl = decl(kind.unwrap());
        let result = self
            .model
            .colour_set(&name, &decl, timed, &Origin::of_text("color", "color"));
        self.note(result.map(|_| ()));
    }

    fn page(&mut self, page: Node) {
        let colour_of = |id: &str, model: &Declarations| {
            let place = page
                .children()
                .find(|node| node.attribute("id") == Some(id));
            let colour = child_text(child(place.unwrap(), "type").unwrap(), "text");
            model.colours().find(&colour).unwrap()
        };
        for node in page.children().filter(Node::is_element) {
            let text = |part: &str| {
                child(node, part)
                    .map(|part| child_text(part, "text"))
                    .unwrap_or_default()
            };
            match node.tag_name().name() {
                "place" => {
                    let colour = colour_of(node.attribute("id").unwrap(), &self.model);
                    self.inscription(&text("initmark"), Expect::Marking(colour));
                }
                "trans" => {
                    let guard = text("cond");
                    let result = self.model.guard(&guard, &Origin::of_text("guard", &guard));
                    self.note(result.map(|_| ()));
                    self.inscription(&text("time"), Expect::Delay);
                    let code = text("code");
                    let result = self
                        .model
                        .code_segment(&code, &Origin::of_text("code", &code));
                    self.note(result.map(|_| ()));
                }
                "arc" => {
                    let place = child(node, "placeend").and_then(|end| end.attribute("idref"));
                    let colour = colour_of(place.unwrap(), &self.model);
                    self.inscription(&text("annot"), Expect::Arc(colour));
                }
                _ => {}
            }
        }
    }

    fn inscription(&mut self, text: &str, expect: Expect) {
        if text.is_empty() {
            return;
        }
        let result = self
            .model
            .expression(text, expect, &Origin::of_text("inscription", text));
        self.note(result.map(|_| ()));
    }
}

fn decl(node: Node) -> ColourDecl {
    let texts = |node: Node| {
        let all = node.descendants().filter(|node| node.has_tag_name("ml"));
        let all: Vec<Text> = all
            .map(|node| {
                let text = own_text(node);
                let origin = Origin::of_text("ml", &text);
                Text { text, origin }
            })
            .collect();
        all
    };
    let range = |node: Node| match &texts(node)[..] {
        [low, high] => Some((low.clone(), high.clone())),
        _ => None,
    };
    let first = || ids(node).remove(0);
    match node.tag_name().name() {
        "unit" => ColourDecl::Unit(
            node.descendants()
                .find(|node| node.has_tag_name("id"))
                .map(own_text),
        ),
        "bool" => ColourDecl::Bool(None),
        "int" => ColourDecl::Int(range(node)),
        "real" => ColourDecl::Real,
        "string" => ColourDecl::String {
            characters: None,
            lengths: None,
        },
        "enum" => ColourDecl::Enum(ids(node)),
        "index" => {
            let (low, high) = range(node).unwrap();
            ColourDecl::Index(first(), low, high)
        }
        "product" => ColourDecl::Product(ids(node)),
        "record" => {
            let fields = node
                .children()
                .filter(|node| node.has_tag_name("recordfield"));
            ColourDecl::Record(
                fields
                    .map(|field| (ids(field)[0].clone(), ids(field)[1].clone()))
                    .collect(),
            )
        }
        "list" => ColourDecl::List(first(), None),
        "union" => {
            let cases = node
                .children()
                .filter(|node| node.has_tag_name("unionfield"));
            let case = |case: Node| {
                (
                    ids(case)[0].clone(),
                    child(case, "type").map(|part| child_text(part, "id")),
                )
            };
            ColourDecl::Union(cases.map(case).collect())
        }
        "subset" => ColourDecl::SubsetBy(first(), texts(node).remove(0)),
        "alias" => ColourDecl::Alias(first()),
        other => panic!("{other}"),
    }
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn own_text(node: Node) -> String {
    node.text().unwrap_or_default().to_string()
}

fn child_text(node: Node, name: &str) -> String {
    child(node, name)
        .map(own_text)
        .unwrap_or_default()
        .trim()
        .to_string()
}

fn ids(node: Node) -> Vec<String> {
    let ids = node.children().filter(|child| child.has_tag_name("id"));
    ids.map(|id| own_text(id).trim().to_string()).collect()
}
