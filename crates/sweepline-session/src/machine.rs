//! What this machine has and how much of it we use.

use std::fs;

/// What a process needs before it stores anything: its code, the model, the log's buffer.
const RESERVE: usize = 32 << 20;

/// The memory the stores may hold unless the user says otherwise: 80 % of what the machine or the cgroup has beside what
/// every process needs.
pub fn default_memory() -> Option<usize> {
    let total = [total_memory(), cgroup_limit()]
        .into_iter()
        .flatten()
        .min()?;
    Some(total.saturating_sub(RESERVE) / 5 * 4)
}

fn total_memory() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemTotal:")
}

/// The tightest limit of the cgroup we are in and of those above it, version 2 or 1.
fn cgroup_limit() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups
        .lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            if controllers.is_empty() {
                limit_along("/sys/fs/cgroup", path, "memory.max")
            } else if controllers.split(',').any(|name| name == "memory") {
                limit_along("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes")
            } else {
                None
            }
        })
        .min()
}

fn limit_along(mount: &str, path: &str, file: &str) -> Option<usize> {
    let mut path = path.trim_matches('/');
    let mut tightest: Option<usize> = None;
    loop {
        let limit = fs::read_to_string(format!("{mount}/{path}/{file}"))
            .ok()
            .and_then(|text| text.trim().parse().ok());
        tightest = [tightest, limit].into_iter().flatten().min();
        match path.rfind('/') {
            Some(end) => path = &path[..end],
            None if path.is_empty() => return tightest,
            None => path = "",
        }
    }
}

/// The most memory this process has had so far.
pub fn process_peak() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&text, "VmHWM:")
}

fn kibibytes(text: &str, field: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<usize>()
        .ok()
        .map(|kib| kib * 1024)
}
