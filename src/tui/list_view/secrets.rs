//! The findings of all stores: what looks sensitive, by kind or by file. A value is never drawn, also not while
//! masked values are revealed.

use std::path::Path;

use ratatui::style::Style;
use ratatui::text::Line;

use crate::check::secrets::text_around;
use crate::detectors::Kind;
use crate::model::plan::count_with_noun;
use crate::model::{PathText, State};
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::list_view::row::ListCell;
use crate::tui::list_view::{ListViewKind, RowDetails, text_lines};
use crate::tui::state::app::App;
use crate::tui::state::row_list::ListRow;
use crate::tui::theme;
use crate::usecase::{ListedFinding, Verdict, memory_count};

pub static KIND: ListViewKind = ListViewKind {
    orders: ["by kind", "by store and file"],
    none: "Nothing in the memories looks sensitive.",
    is_beside: true,
    rows,
    key: |app, row| if let ListRow::Finding(at) = row { key(app, at) } else { String::new() },
    cells,
    about,
    hints,
    is_read: |app| app.list_view.findings.list.is_some() || app.list_view.findings.failure.is_some(),
};

const VALUE: usize = 17;
const RULE: usize = 17;

pub fn finding(app: &App, number: usize) -> Option<&ListedFinding> {
    app.list_view.findings.list.as_ref()?.all.get(number)
}

fn is_false_alarm(own: &ListedFinding) -> bool {
    own.verdict == Some(Verdict::No)
}

fn place(own: &ListedFinding) -> (u32, &Path) {
    (own.at.store, &own.finding.file)
}

/// Returns the number of findings without false alarms, and of false alarms, in words.
pub fn tally(app: &App) -> String {
    let Some(list) = &app.list_view.findings.list else { return String::new() };
    let alarms = list.all.iter().filter(|own| is_false_alarm(own)).count();
    let mut found = count_with_noun((list.all.len() - alarms) as u64, "finding");
    let is_aside = |own: &&ListedFinding| {
        matches!(list.snapshot.get(own.at).1.state, State::Archived | State::Deleted) && !is_false_alarm(own)
    };
    let aside = list.all.iter().filter(is_aside).count();
    if aside > 0 {
        found += &format!(", {aside} of them archived or deleted");
    }
    if list.in_copies > 0 {
        found += &format!(", {} more in copies", list.in_copies);
    }
    match (alarms, app.list_view.findings.shows_false_alarms) {
        (0, _) => found,
        (_, true) => format!("{found}, {}", count_with_noun(alarms as u64, "false alarm")),
        (_, false) => format!("{found}, {} hidden", count_with_noun(alarms as u64, "false alarm")),
    }
}

fn rows(app: &App) -> Vec<ListRow> {
    let Some(list) = &app.list_view.findings.list else { return Vec::new() };
    let is_by_file = app.list_view.list.is_other_order;
    let (alarms, mut shown): (Vec<usize>, Vec<usize>) =
        (0..list.all.len()).partition(|at| is_false_alarm(&list.all[*at]));
    match is_by_file {
        true => shown.sort_by_key(|at| (place(&list.all[*at]), list.all[*at].finding.line)),
        false => shown.sort_by_key(|at| list.all[*at].finding.kind),
    }
    let mut rows = Vec::with_capacity(shown.len() + 16);
    let mut last: Option<&ListedFinding> = None;
    for at in shown {
        let own = &list.all[at];
        if is_by_file && last.map(place) != Some(place(own)) {
            rows.push(ListRow::FindingFile(at, 0));
        }
        if !is_by_file && last.map(|last| last.finding.kind) != Some(own.finding.kind) {
            rows.push(ListRow::FindingKind(own.finding.kind, 0));
        }
        rows.push(ListRow::Finding(at));
        last = Some(own);
    }
    if app.list_view.findings.shows_false_alarms && !alarms.is_empty() {
        rows.push(ListRow::FalseAlarms(0));
        rows.extend(alarms.into_iter().map(ListRow::Finding));
    }
    super::row::recount(&mut rows);
    rows
}

fn key(app: &App, number: usize) -> String {
    finding(app, number).map_or(String::new(), |own| format!("{} {}", own.at.store, own.name))
}

/// Returns a kind in words: one value of it, and several.
fn kind_words(kind: Kind) -> [&'static str; 2] {
    match kind {
        Kind::Token => ["a token or key of a provider", "tokens"],
        Kind::PrivateKey => ["a private key", "private keys"],
        Kind::Jwt => ["a JSON Web Token", "JSON Web Tokens"],
        Kind::UrlCredentials => ["a password in a URL", "passwords in URLs"],
        Kind::Password => ["a password", "passwords"],
        Kind::Card => ["the number of a payment card", "payment cards"],
        Kind::Iban => ["an account number (IBAN)", "account numbers"],
        Kind::Email => ["an e-mail address", "e-mail addresses"],
        Kind::Phone => ["a telephone number", "telephone numbers"],
        Kind::Address => ["the address of a machine", "addresses of machines"],
        Kind::Home => ["the home folder of a user", "home folders"],
        Kind::Name => ["a name of your list", "names"],
    }
}

fn sign_and_words(verdict: Option<Verdict>) -> (&'static str, &'static str) {
    match verdict {
        Some(Verdict::Yes) => ("!", "it is real"),
        Some(Verdict::No) => ("−", "a false alarm"),
        Some(Verdict::Skip) => ("?", "not decided"),
        None => ("·", "not decided"),
    }
}

fn cells(app: &App, row: ListRow) -> Vec<ListCell> {
    let head = |text: String, count: usize, style: Style| {
        vec![
            ListCell::rest(text).styled(style),
            ListCell::right(count.to_string(), 5).styled(app.palette.dim()),
        ]
    };
    match row {
        ListRow::FindingKind(kind, count) => {
            let style = if kind.is_secret() { app.palette.secret() } else { app.palette.strong() };
            head(kind_words(kind)[1].to_owned(), count, style)
        }
        ListRow::FalseAlarms(count) => head("false alarms".to_owned(), count, app.palette.dim()),
        ListRow::FindingFile(number, count) => {
            let Some(own) = finding(app, number) else { return Vec::new() };
            let store = app.store_name(own.at.store as usize);
            head(format!("{store}  {}", own.finding.file.to_text()), count, app.palette.dim())
        }
        ListRow::Finding(number) => {
            let Some(own) = finding(app, number) else { return Vec::new() };
            finding_cells(app, own)
        }
        _ => Vec::new(),
    }
}

fn finding_cells(app: &App, own: &ListedFinding) -> Vec<ListCell> {
    let style = match own.verdict {
        Some(Verdict::Yes) => app.palette.secret(),
        Some(Verdict::No) => app.palette.dim(),
        _ => Style::new(),
    };
    let is_by_file = app.list_view.list.is_other_order;
    let line = own.finding.line.to_string();
    let mut cells =
        vec![ListCell::left(format!("  {}", sign_and_words(own.verdict).0), 3).styled(style).close()];
    cells.extend(is_by_file.then(|| ListCell::right(line, 4).styled(app.palette.dim()).from(30).close()));
    cells.extend([
        ListCell::left(&*own.finding.masked, VALUE).styled(style),
        ListCell::left(&*own.finding.rule, RULE).styled(app.palette.dim()).from(50),
        ListCell::rest(&*own.title).from(34),
    ]);
    cells.extend((!is_by_file).then(|| ListCell::store(app, own.at.store as usize)));
    cells
}

/// Returns the text around a finding, as it is stored, with every value in it hidden.
pub fn text(app: &App, number: usize) -> Option<String> {
    let list = app.list_view.findings.list.as_ref()?;
    let own = list.all.get(number)?;
    let (store, entry) = list.snapshot.get(own.at);
    let [before, after] = text_around(store, entry, own.number)?;
    Some(format!("{before}{}{after}", own.finding.masked))
}

fn about(app: &App, width: usize) -> RowDetails {
    let says = |text: &str, style: Style| theme::styled_lines(&theme::safe(app, text), width, style);
    let Some(ListRow::Finding(number)) = app.list_view.row() else {
        let why =
            app.list_view.findings.failure.iter().flat_map(|why| says(why, app.palette.wrong())).collect();
        return RowDetails { lines: why, ..RowDetails::default() };
    };
    let Some(own) = finding(app, number) else { return RowDetails::default() };
    let [what, _] = kind_words(own.finding.kind);
    let store = app.store_name(own.at.store as usize);
    let place = format!("{store} · line {} of {}", own.finding.line, own.finding.file.to_text());
    let holders = match own.memories {
        1 => "in this memory alone".to_owned(),
        several => format!("in {}", memory_count(several)),
    };
    let (sign, verdict) = sign_and_words(own.verdict);
    let state = format!("{sign} {verdict} · {holders}");
    let state = state.trim_start_matches("· ");
    let what_it_is = says(&format!("{}  {}", own.finding.masked, own.finding.rule), app.palette.secret());
    let about = what_it_is.chain(says(state, Style::new())).chain(says(&own.title, app.palette.strong()));
    let about = about.chain(says(&place, app.palette.dim())).chain([Line::default()]);
    let lines = about.chain(text_lines(app, width)).collect();
    RowDetails { title: what.to_owned(), right: String::new(), lines }
}

fn hints(app: &App) -> Vec<Hint> {
    if app.list_view.list.is_empty() {
        return vec![act(Action::FalseAlarms, "false alarms")];
    }
    let alarms = if app.list_view.findings.shows_false_alarms { "hide" } else { "show" };
    let mut hints = vec![hint("Enter", "its memory")];
    if !app.is_readonly() {
        hints.extend([
            act(Action::Redact, "redact…"),
            act(Action::Delete, "erase…"),
            act(Action::Real, "real"),
            act(Action::FalseAlarm, "false alarm"),
            act(Action::Undecided, "undecided"),
        ]);
    }
    hints.push(act(Action::FalseAlarms, &format!("{alarms} false alarms")));
    hints
}
