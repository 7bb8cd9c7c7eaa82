//! The models of the papers with their published figures: `cargo run --release --example papers`

#![expect(clippy::print_stdout, reason = "an example prints")]

use sweepline::check;
use sweepline::model::zoo::database::Database;
use sweepline::model::zoo::go_back_n::GoBackN;
use sweepline::model::zoo::stop_and_wait::StopAndWait;

fn main() {
    println!("database replication: every state but the first is explored twice, one is kept");
    println!("  managers   explored   peak");
    for managers in 4..=9 {
        let model = Database::new(managers).expect("so few managers are allowed");
        let report = check(model).measure(model.measure()).explore();
        let figures = report.statistics();
        let states = u64::from(managers) * 3_u64.pow(u32::from(managers) - 1) + 2;
        assert_eq!((figures.explored, figures.persistent), (2 * states - 1, 1));
        println!(
            "  {managers:>8}   {:>8}   {:>4}",
            figures.explored, figures.peak_states
        );
    }

    println!("stop-and-wait: memory does not depend on the number of packets");
    println!("  packets     states   peak");
    for packets in [20, 40, 60, 80, 100, 1000] {
        let model = StopAndWait { packets };
        let measure = model.measure();
        let report = check(model).measure(measure).explore();
        let (states, peak) = (report.states(), report.statistics().peak_states);
        assert_eq!((states, peak), (Some(271 * u64::from(packets) - 134), 287));
        println!(
            "  {packets:>7}   {:>8}   {peak:>4}",
            states.unwrap_or_default()
        );
    }

    println!("go-back-N: 400 messages, window 4, channels of capacity 4");
    let model = GoBackN::<4> {
        messages: 400,
        window: 4,
    };
    let measure = model.measure();
    let report = check(model)
        .measure(measure)
        .reachable("all delivered", |_, s| s.base == 400)
        .run();
    report.assert_holds();
    let trace = report.trace("all delivered").expect("there is a witness");
    println!(
        "  all delivered after {} steps at the earliest in this order",
        trace.actions().len()
    );
    println!(
        "  explored until then: {}, stored at most: {}",
        report.statistics().explored,
        report.statistics().peak_states
    );
}
