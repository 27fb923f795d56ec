//! The order of the list of memories, and its ranking.

use super::search_query;
use crate::query::{Order, Ranking};
use crate::tui::state::app::App;

pub fn next(app: &mut App) {
    if app.marks.pick.is_some() {
        return app.say("This list has an order of its own.");
    }
    let next = match app.order() {
        Order::Time => Order::Rank,
        Order::Rank => Order::Importance,
        Order::Importance => Order::Size,
        Order::Size | Order::Oldest => Order::Time,
    };
    app.order = Some(next);
    search_query::search_again(app)
}

pub fn other_ranking(app: &mut App) {
    app.ranking = match app.ranking {
        Ranking::Product => Ranking::Weighted,
        Ranking::Weighted => Ranking::Product,
    };
    app.why = None;
    search_query::search_again(app)
}
