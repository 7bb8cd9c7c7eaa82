//! Searches for runs side by side: they agree, and say so if they do not.

use std::path::Path;

use sweepline_core::Limits;
use sweepline_session::record::SearchRecord;
use sweepline_session::{
    LoadOptions, Model, Order, QuestionOptions, Questions, Reading, compare_searches, disagreement,
    load,
};

fn model(file: &str) -> Model {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let file = models.join(file);
    let options = LoadOptions {
        constants: vec![("PACKETS".into(), 3)],
        ..LoadOptions::default()
    };
    match load(&file, &options, &Limits::default()) {
        Ok(Reading::Loaded(model)) => *model,
        _ => panic!("it is read"),
    }
}

fn compared(model: &Model, asked: &QuestionOptions, orders: &[Order]) -> Vec<SearchRecord> {
    let questions = Questions::gather(asked, model).expect("questions");
    compare_searches(model, &questions, orders, &Limits::default, &mut ()).expect("they run")
}

fn formulas(formulas: &[&str]) -> QuestionOptions {
    QuestionOptions {
        ltl: formulas.iter().map(ToString::to_string).collect(),
        ..QuestionOptions::default()
    }
}

#[test]
fn searches_agree_in_all_orders() {
    let model = model("limit-protocol.dve");
    let rows = Order::parse(None, Some("used"), 1, 0).expect("a measure");
    let orders = [Order::default(), rows];
    let asked = formulas(&[
        "F Sender.s == 4",
        "G (Sender.s <= Receiver.r)",
        "G F (used == 0)",
    ]);
    let found = compared(&model, &asked, &orders);
    assert_eq!(found.len(), 18);
    assert_eq!(disagreement(&found), None);
    for searches in found.chunks(6) {
        assert!(
            searches
                .iter()
                .all(|search| search.verdict != "inconclusive")
        );
        assert!(searches.iter().all(|search| search.explored > 0));
        let names: Vec<_> = searches.iter().map(|search| search.search).collect();
        assert_eq!(names[..3], ["links", "product", "thesis"]);
        let thesis = searches.iter().filter(|search| search.search == "thesis");
        for search in thesis {
            assert!(
                search.peak_states > 0 && search.peak_bytes > 0,
                "{search:?}"
            );
        }
    }
}

#[test]
fn nothing_about_runs_is_a_mistake() {
    let model = model("limit-protocol.dve");
    let asked = QuestionOptions {
        deadlock: true,
        ..QuestionOptions::default()
    };
    let questions = Questions::gather(&asked, &model).expect("a question");
    let found = compare_searches(
        &model,
        &questions,
        &[Order::default()],
        &Limits::default,
        &mut (),
    );
    assert!(found.is_err());
}

#[test]
fn disagreement_is_told() {
    let model = model("limit-protocol.dve");
    let mut found = compared(
        &model,
        &formulas(&["G true", "F false"]),
        &[Order::default()],
    );
    assert_eq!(disagreement(&found), None, "these are different questions");
    found[1].verdict = "violated";
    let message = disagreement(&found).expect("two of them disagree");
    assert!(
        message.contains("`G true` holds by the search `links`"),
        "{message}"
    );
}
