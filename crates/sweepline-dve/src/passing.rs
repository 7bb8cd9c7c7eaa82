//! How the values of a rendezvous get from the sender to the receiver.

use sweepline_core::SlotId;
use sweepline_program::{Effect, Expr, Place, SlotType};

use crate::declare::Channel;
use crate::resolve::Resolver;

impl Resolver<'_> {
    /// The effects that pass values from a sender to a receiver, all of them computed before any is stored, and a
    /// condition that always holds but is not obvious.
    ///
    /// Mostly they can be assigned one by one. If one of them depends on what an earlier one overwrites, they go through a
    /// buffer for one message, which is empty again at once.
    pub fn passed(
        &mut self,
        values: &[Expr],
        places: &[Option<Place>],
        channel: &mut Channel,
    ) -> (Option<Expr>, Vec<Effect>) {
        let message = || values.iter().zip(places);
        let program = self.builder.program();
        let disturbed = message().enumerate().any(|(index, (value, _))| {
            let read = program.reads(value);
            let before = message().take(index);
            before.filter_map(|(_, place)| place.as_ref()).any(|place| {
                let written = match place {
                    Place::Slot(slot) => *slot..=*slot,
                    Place::Element(array, _) => {
                        let array = program.array(*array);
                        array.first..=SlotId(array.first.0 + array.length - 1)
                    }
                };
                read.range(written).next().is_some()
            })
        });
        if !disturbed {
            let each = message().filter_map(|(value, place)| Some((value, place.clone()?)));
            let each = each.map(|(value, place)| Effect::assign(place, value.clone()));
            return (None, each.collect());
        }
        let builder = &mut self.builder;
        let buffer = *channel.passage.get_or_insert_with(|| {
            let any = SlotType::integer(i64::MIN, i64::MAX);
            let name = channel.name.text.as_str();
            let buffer = builder.channel(name, &vec![any; values.len()], 1);
            builder.make_transient(buffer);
            buffer
        });
        let put = Effect::Push {
            channel: buffer,
            values: values.to_vec(),
        };
        let taken = Effect::Pop {
            channel: buffer,
            places: places.to_vec(),
        };
        (Some(Expr::Full(buffer).negated()), vec![put, taken])
    }
}
