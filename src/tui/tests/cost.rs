//! What a move of the cursor costs the processor, in the program that is shipped:
//! `PALIMP_LONG=1 cargo test --release --lib cost`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::{Desk, Msg, view};

/// Nanoseconds that this thread has run.
fn ran() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

fn percentile(times: &mut [u64], of: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() * of / 100).min(times.len() - 1)] as f64 / 1e6
}

#[test]
fn a_move_costs_at_most_a_millisecond_and_a_half_however_many_memories_there_are() {
    for count in [100, crate::tries::count(3_000, 200_000)] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("sessions/s/memory.jsonl");
        let line = |n| {
            format!(
                "{{\"id\":\"m_{n}\",\"type\":\"finding\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                 \"content\":{{\"message\":\"The pool of number {n} is smaller than what is asked of it.\"}}}}\n"
            )
        };
        crate::disk::write_new(&log, (0..count).map(line).collect::<String>().as_bytes()).unwrap();
        let mut desk = Desk::of(folder, 120, 36);
        let mut terminal = Terminal::new(TestBackend::new(120, 36)).unwrap();
        for words in ["", "/pool\n"] {
            for key in words.chars() {
                match key {
                    '\n' => desk.press(KeyCode::Enter),
                    key => desk.type_keys(&key.to_string()),
                }
            }
            let (mut moves, mut frames, mut workers) = (Vec::new(), Vec::new(), Vec::new());
            let keys = "jjjjjjjjjjjjGkkkkkkkkkkkkggjjj19j".chars().cycle().take(1_600);
            for key in keys {
                let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
                let began = ran();
                let effects = super::update(&mut desk.app, Msg::Key(key), super::now());
                let moved = ran();
                terminal.draw(|frame| view(&desk.app, frame)).unwrap();
                let drawn = ran();
                desk.settle(effects);
                moves.push(moved - began);
                frames.push(drawn - began);
                workers.push(ran() - drawn);
            }
            let told = [("key", &mut moves), ("key and frame", &mut frames), ("worker", &mut workers)]
                .map(|(what, times)| (what, percentile(times, 50), percentile(times, 99)));
            println!("{count} memories, {words:?}: ms at the 50th and 99th percentile: {told:?}");
            assert!(told[1].2 < 1.5, "{count} memories, {words:?}: {told:?}");
        }
    }
}
