//! What the language does, as data.

mod evaluate;
mod random;
mod shapes;
mod wrong;

use crate::ml::{
    ColourId, Declarations, Expect, Expression, Failure, MlErrors, Origin, Tokens, Value,
};

/// A model with these declarations, which are right.
pub(super) fn model(text: &str) -> Declarations {
    let mut model = Declarations::new();
    if let Err(errors) = model.declare(text, &Origin::of_text("declarations", text)) {
        panic!("{text}: {errors:?}");
    }
    model
}

/// What is wrong with declarations, without elements.
pub(super) fn wrong(text: &str) -> Vec<String> {
    let mut model = Declarations::new();
    match model.declare(text, &Origin::of_text("d", text)) {
        Ok(()) => Vec::new(),
        Err(errors) => messages(&errors),
    }
}

pub(super) fn messages(errors: &MlErrors) -> Vec<String> {
    errors.iter().map(crate::ml::MlError::cause).collect()
}

pub(super) fn colour(model: &Declarations, name: &str) -> ColourId {
    model
        .colours()
        .find(name)
        .unwrap_or_else(|| panic!("no colour set {name}"))
}

pub(super) fn expression(model: &mut Declarations, text: &str, expect: Expect) -> Expression {
    match model.expression(text, expect, &Origin::of_text("inscription", text)) {
        Ok(expression) => expression,
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

/// Evaluates an expression of a colour set, as CPN Tools shows the value.
pub(super) fn value(declarations: &str, colour_set: &str, text: &str) -> Result<String, Failure> {
    let mut model = model(declarations);
    let colour = colour(&model, colour_set);
    let expression = expression(&mut model, text, Expect::Token(colour));
    let machine = model.machine_mut();
    let value = machine.value(&expression, &[]);
    assert_eq!(machine.value_by_code(&expression, &[]), value, "{text}");
    let value = value?;
    Ok(model
        .colours()
        .show(colour, value, model.machine().values()))
}

/// The tokens of an inscription, as they are shown, with their delays.
pub(super) fn tokens(
    model: &mut Declarations,
    colour: ColourId,
    text: &str,
    binding: &[Value],
) -> Vec<(u64, String, i64)> {
    let expression = expression(model, text, Expect::Arc(colour));
    let mut out: Vec<Tokens> = Vec::new();
    let machine = model.machine_mut();
    machine.tokens(&expression, binding, &mut out).unwrap();
    assert_eq!(
        machine.tokens_by_code(&expression, binding).unwrap(),
        out,
        "{text}"
    );
    let shown = |value| {
        model
            .colours()
            .show(colour, value, model.machine().values())
    };
    out.iter()
        .map(|tokens| (tokens.count, shown(tokens.value), tokens.delay))
        .collect()
}
