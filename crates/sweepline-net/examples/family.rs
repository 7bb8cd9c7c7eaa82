//! Writes a net of a family as PNML: `cargo run -p sweepline-net --example family -- philosophers 5 > phils.pnml`

#![expect(clippy::print_stdout, reason = "the net goes to standard output")]

use std::process::ExitCode;

use sweepline_net::{PetriNet, family, write_pnml};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Option<Vec<u64>> = arguments
        .iter()
        .skip(1)
        .map(|text| text.parse().ok())
        .collect();
    let net = arguments
        .first()
        .zip(numbers)
        .and_then(|(name, numbers)| generate(name, &numbers));
    if let Some(net) = net {
        print!("{}", write_pnml(&net));
        return ExitCode::SUCCESS;
    }
    eprintln!("usage: family kanban N | fms N | philosophers N | pipe N K R | stop-and-wait N C P");
    ExitCode::from(2)
}

fn generate(name: &str, numbers: &[u64]) -> Option<PetriNet> {
    let size = |number: u64| usize::try_from(number).ok();
    Some(match (name, numbers) {
        ("kanban", &[n]) => family::kanban(n),
        ("fms", &[n]) => family::fms(n),
        ("philosophers", &[n]) => family::philosophers(size(n)?),
        ("pipe", &[n, k, r]) => family::pipe(n, size(k)?, r),
        ("stop-and-wait", &[n, c, p]) => family::stop_and_wait(size(n)?, c, size(p)?),
        _ => return None,
    })
}
