//! What a session spends is set aside before and never exceeds its cap, whoever spends beside.

use std::sync::Arc;

use harness_guard::{
    Guard, Message, Microdollars, ModelReply, ModelRequest, Price, Prices, Stop, Usage,
};
use proptest::prelude::*;

use crate::world::{World, ctx, error_of, read};

const MODEL: &str = "priced";

async fn guard(world: &World, dollars: f64) -> Guard {
    let mut setup = world.setup();
    let price = Price::per_million(3.0, 15.0).unwrap();
    setup.prices = Prices::new().set(MODEL, price).set("free", Price::FREE);
    setup.config.max_cost_usd = dollars;
    setup.config.max_turns = 10_000;
    Guard::start(setup).await.unwrap()
}

fn request(max_tokens_out: u64) -> ModelRequest {
    ModelRequest {
        model: MODEL.to_owned(),
        max_tokens_out,
    }
}

fn said(text: &str) -> Vec<Message> {
    vec![Message::user(text)]
}

fn usage(tokens_in: u64, tokens_out: u64) -> Usage {
    Usage {
        tokens_in: Some(tokens_in),
        tokens_out: Some(tokens_out),
    }
}

#[tokio::test]
async fn an_answer_costs_what_it_reports_and_the_worst_where_it_does_not() {
    let world = World::new();
    let guard = guard(&world, 5.0).await;
    let spent = || guard.spending().spent.get();
    let turn = guard
        .before_model(&ctx(), &request(1000), &mut said("x"))
        .await
        .unwrap();
    let reserved = guard.spending().reserved.get();
    assert!(reserved >= 15_000, "{reserved}");
    guard
        .after_model(turn, &ModelReply::default(), usage(100, 10))
        .await
        .unwrap();
    assert_eq!((spent(), guard.spending().reserved.get()), (450, 0));

    // Nothing reported; half of it reported; no answer at all.
    let turn = guard
        .before_model(&ctx(), &request(1000), &mut said("x"))
        .await
        .unwrap();
    guard
        .after_model(turn, &ModelReply::default(), Usage::default())
        .await
        .unwrap();
    assert_eq!(spent(), 450 + reserved);
    let turn = guard
        .before_model(&ctx(), &request(1000), &mut said("x"))
        .await
        .unwrap();
    let half = Usage {
        tokens_in: Some(100),
        tokens_out: None,
    };
    guard
        .after_model(turn, &ModelReply::default(), half)
        .await
        .unwrap();
    assert_eq!(spent(), 450 + reserved + 300 + 15_000);
    let before = spent();
    let turn = guard
        .before_model(&ctx(), &request(1000), &mut said("x"))
        .await
        .unwrap();
    guard.model_failed(turn, "connection reset").await.unwrap();
    assert_eq!(spent(), before + reserved);
    drop(
        guard
            .before_model(&ctx(), &request(1000), &mut said("x"))
            .await
            .unwrap(),
    );
    assert_eq!(spent(), before + 2 * reserved);
}

#[tokio::test]
async fn what_is_left_must_cover_the_worst() {
    let world = World::new();
    let guard = guard(&world, 0.02).await;
    let stop = guard
        .before_model(&ctx(), &request(2000), &mut said("x"))
        .await
        .unwrap_err();
    assert!(matches!(stop, Stop::Cost { .. }), "{stop}");
    assert_eq!(stop.name(), "cost_cap_reached");
    assert_eq!(guard.spending().reserved, Microdollars::ZERO);
    let event = &world.audit.of("cost_limit_hit")[0];
    assert_eq!(event["cap_microdollars"], 20_000);
    assert!(
        guard
            .before_model(&ctx(), &request(500), &mut said("x"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn more_than_the_worst_is_booked_and_then_nothing_goes_on() {
    let world = World::new();
    let guard = guard(&world, 1.0).await;
    let turn = guard
        .before_model(&ctx(), &request(10), &mut said("x"))
        .await
        .unwrap();
    guard
        .after_model(turn, &ModelReply::default(), usage(1_000_000, 0))
        .await
        .unwrap();
    assert_eq!(guard.spending().spent.get(), 3_000_000);
    let stop = guard
        .before_model(&ctx(), &request(1), &mut said("x"))
        .await;
    assert!(matches!(stop, Err(Stop::Cost { .. })));
}

#[tokio::test]
async fn a_model_without_a_price_is_not_asked() {
    let world = World::new();
    let guard = guard(&world, 0.0).await;
    let ask = async |model: &str| {
        let request = ModelRequest {
            model: model.to_owned(),
            max_tokens_out: 10,
        };
        guard
            .before_model(&ctx(), &request, &mut said("x"))
            .await
            .map(drop)
    };
    assert_eq!(ask("unheard of").await, Err(Stop::NoPrice));
    assert_eq!(ask("free").await, Ok(()));
    assert!(matches!(ask(MODEL).await, Err(Stop::Cost { .. })));
}

#[tokio::test]
async fn turns_are_counted_after_each_user_message() {
    let world = World::new();
    let mut setup = world.setup();
    setup.prices = Prices::new().set("free", Price::FREE);
    setup.config.max_turns = 2;
    let guard = Guard::start(setup).await.unwrap();
    let request = ModelRequest {
        model: "free".to_owned(),
        max_tokens_out: 10,
    };
    let ask = async || {
        guard
            .before_model(&ctx(), &request, &mut said("x"))
            .await
            .map(drop)
    };
    for _ in 0..2 {
        assert_eq!(ask().await, Ok(()));
        assert_eq!(ask().await, Ok(()));
        assert_eq!(ask().await, Err(Stop::Turns { cap: 2 }));
        guard.user_message("go on").await.unwrap();
    }
    let hit = &world.audit.of("iteration_cap_hit")[0];
    assert_eq!(
        (&hit["scope"], &hit["cap"]),
        (&"per_turn".into(), &2.into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_side_by_side_do_not_pass_the_cap() {
    let world = World::new();
    world.write("a.txt", "x");
    let mut setup = world.setup();
    setup.config.max_tool_calls = 20;
    let guard = Guard::start(setup).await.unwrap();
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let guard = guard.clone();
            tokio::spawn(async move { guard.call(&ctx(), read("a.txt")).await })
        })
        .collect();
    let mut refused = 0;
    for task in tasks {
        let outcome = task.await.unwrap();
        if outcome.refusal().is_some() {
            assert_eq!(error_of(&outcome), "call_cap_reached");
            refused += 1;
        }
    }
    assert_eq!((world.runs(), refused), (20, 44));
}

/// What one asker does with its turn.
#[derive(Clone, Copy, Debug)]
enum Then {
    Report(u64, u64),
    SayNothing,
    Fail,
    Drop,
}

fn any_then() -> impl Strategy<Value = Then> {
    prop_oneof![
        (0u64..40, 0u64..=100).prop_map(|(read, wrote)| Then::Report(read, wrote)),
        Just(Then::SayNothing),
        Just(Then::Fail),
        Just(Then::Drop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_they_do_side_by_side(
        askers in prop::collection::vec((1u64..=100, any_then()), 1..40),
        cap in 0u32..60_000,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build()
            .unwrap();
        let (spending, asked) = runtime.block_on(async {
            let world = World::new();
            let guard = Arc::new(guard(&world, f64::from(cap) / 1e6).await);
            let tasks: Vec<_> = askers.into_iter().map(|(out, then)| {
                let guard = Arc::clone(&guard);
                tokio::spawn(async move {
                    let turn = guard.before_model(&ctx(), &request(out), &mut said("x")).await;
                    let Ok(turn) = turn else { return 0 };
                    let now = guard.spending();
                    assert!(now.spent.get() + now.reserved.get() <= now.cap.get());
                    tokio::task::yield_now().await;
                    match then {
                        Then::Report(read, wrote) => {
                            let usage = usage(read, wrote.min(out));
                            guard.after_model(turn, &ModelReply::default(), usage).await.unwrap();
                        }
                        Then::SayNothing => {
                            let nothing = Usage::default();
                            guard.after_model(turn, &ModelReply::default(), nothing).await.unwrap();
                        }
                        Then::Fail => guard.model_failed(turn, "x").await.unwrap(),
                        Then::Drop => drop(turn),
                    }
                    1
                })
            }).collect();
            let mut asked = 0;
            for task in tasks {
                asked += task.await.unwrap();
            }
            (guard.spending(), asked)
        });
        prop_assert!(spending.spent <= spending.cap, "{spending:?} after {asked}");
        prop_assert_eq!(spending.reserved, Microdollars::ZERO);
    }
}
