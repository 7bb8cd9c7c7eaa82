//! Functions that every colour set has: `C.all`, `C.mkstr` and so on.

use crate::ml::colours::Kind;
use crate::ml::environment::{Entity, Environment};
use crate::ml::primitives::Primitive;
use crate::ml::types::{Con, Ty, Types};
use crate::ml::{ColourId, Colours};

/// A function of a colour set.
pub(crate) fn member(
    environment: &mut Environment,
    colours: &Colours,
    colour: ColourId,
    name: &str,
) -> Option<Entity> {
    let ty = environment.colour_types[colour.0 as usize];
    let parts: Vec<Ty> = match colours.product_parts(colour) {
        Some(parts) if name == "mult" => parts
            .iter()
            .map(|part| environment.colour_types[part.0 as usize])
            .collect(),
        _ => Vec::new(),
    };
    if let Some(entity) = part_member(environment, colours, colour, name) {
        return Some(entity);
    }
    let types = &mut environment.type_table;
    let (int, text, truth, unit) = (
        types.simple(Con::INT),
        types.simple(Con::STRING),
        types.simple(Con::BOOL),
        types.unit(),
    );
    let list = types.list(ty);
    let (from, to, primitive, count) = match name {
        "all" => (unit, list, Primitive::All(colour), 1),
        "size" => (unit, int, Primitive::ColourSize(colour), 1),
        "ran" => (unit, ty, Primitive::RandomColour(colour), 1),
        "ord" => (ty, int, Primitive::Ordinal(colour), 1),
        "col" => (int, ty, Primitive::ColourAt(colour), 1),
        "lt" => (
            types.tuple(&[ty, ty]),
            truth,
            Primitive::ColourLess(colour),
            2,
        ),
        "mkstr" => (ty, text, Primitive::Shown(colour), 1),
        "mkstr_ms" => (list, text, Primitive::ShownMultiset(colour), 1),
        "legal" => (ty, truth, Primitive::Legal(colour), 1),
        "mult" if !parts.is_empty() => {
            let lists: Vec<Ty> = parts.iter().map(|part| types.list(*part)).collect();
            let count = u32::try_from(lists.len()).ok()?;
            (
                types.tuple(&lists),
                list,
                Primitive::Product(count),
                lists.len(),
            )
        }
        _ => return None,
    };
    let scheme = Types::monomorphic(types.function(from, to));
    Some(Entity::Primitive {
        primitive,
        scheme,
        curried: 1,
        parts: count,
    })
}

/// `C.set_field record value` of records, and `C.of_case value` of unions.
fn part_member(
    environment: &mut Environment,
    colours: &Colours,
    colour: ColourId,
    name: &str,
) -> Option<Entity> {
    let ty = environment.colour_types[colour.0 as usize];
    let (primitive, to, curried) = match colours.plain(colour) {
        Kind::Record(fields, _) => {
            let label = name.strip_prefix("set_")?;
            let position = fields.iter().position(|(known, _)| known == label)?;
            let field = environment.colour_types[fields[position].1.0 as usize];
            let set = environment.type_table.function(field, ty);
            (Primitive::WithField(u32::try_from(position).ok()?), set, 2)
        }
        Kind::Union(cases) => {
            let case = name.strip_prefix("of_")?;
            let tag = cases.iter().position(|(known, _)| known == case)?;
            let truth = environment.type_table.simple(Con::BOOL);
            (Primitive::IsCase(u32::try_from(tag).ok()?), truth, 1)
        }
        _ => return None,
    };
    let scheme = Types::monomorphic(environment.type_table.function(ty, to));
    Some(Entity::Primitive {
        primitive,
        scheme,
        curried,
        parts: 1,
    })
}
