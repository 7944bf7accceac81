//! `harness notices`: what was noticed.

use anyhow::Result;
use harness_core::{NoticeId, layout};
use harness_store::Reader;
use harness_store::wire::json;
use serde_json::{Value, json};

use super::Cli;
use crate::exit::{Exit, Problem};
use crate::output::complain;

/// Bytes of a field that a list shows.
const MAX_SHOWN: usize = 160;

pub(super) fn run(cli: &mut Cli<'_>, all: bool, id: Option<&str>) -> Result<Exit> {
    let reader = cli.reader()?;
    match id {
        Some(id) => one(cli, &reader, &NoticeId::parse(id)?),
        None => list(cli, &reader, all),
    }
}

fn one(cli: &mut Cli<'_>, reader: &Reader, id: &NoticeId) -> Result<Exit> {
    let found = match read(cli, reader, id, Place::Pending)? {
        Some(notice) => Some(notice),
        None => read(cli, reader, id, Place::Processed)?,
    };
    let notice = found.ok_or_else(|| {
        Problem::usage(format!(
            "there is no notice {id}; `harness notices --all` lists them"
        ))
    })?;
    if cli.out.is_json() {
        cli.out.json(&notice)?;
    } else {
        let pretty = json::to_pretty(&notice)?;
        cli.out.line(String::from_utf8_lossy(&pretty).trim_end())?;
    }
    Ok(Exit::Done)
}

fn list(cli: &mut Cli<'_>, reader: &Reader, all: bool) -> Result<Exit> {
    let mut notices = Vec::new();
    let places = if all {
        &[Place::Pending, Place::Processed][..]
    } else {
        &[Place::Pending][..]
    };
    for place in places {
        for id in ids(reader, *place)? {
            notices.extend(read(cli, reader, &id, *place)?);
        }
    }
    notices.sort_by_key(|notice| text(notice, "id").to_owned());
    if cli.out.is_json() {
        cli.out.json(&json!({ "notices": notices }))?;
        return Ok(Exit::Done);
    }
    let intake = cli.intake();
    for notice in &notices {
        // Whoever edited the file may have put anything in it.
        let shown = |name: &str| intake.text(text(notice, name), MAX_SHOWN).into_owned();
        cli.out.line(format_args!(
            "{} {:<12} {:<12} {} turn {}: {}",
            shown("id"),
            shown("status"),
            shown("severity"),
            shown("session_id"),
            notice
                .get("turn_index")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
            shown("summary"),
        ))?;
    }
    let which = if all { "" } else { " pending" };
    cli.out
        .line(format_args!("{}{which} notices", notices.len()))?;
    Ok(Exit::Done)
}

#[derive(Clone, Copy)]
enum Place {
    Pending,
    Processed,
}

fn ids(reader: &Reader, place: Place) -> Result<Vec<NoticeId>> {
    let folder = match place {
        Place::Pending => layout::pending_folder(),
        Place::Processed => layout::processed_folder(),
    };
    let names = reader.list(&folder)?;
    Ok(names
        .iter()
        .filter_map(|name| NoticeId::parse(name.strip_suffix(".json")?).ok())
        .collect())
}

/// A notice's file; one that does not read is reported and passed over.
fn read(cli: &Cli<'_>, reader: &Reader, id: &NoticeId, place: Place) -> Result<Option<Value>> {
    let path = match place {
        Place::Pending => layout::pending(id),
        Place::Processed => layout::processed(id),
    };
    let Some(bytes) = reader.file(&path)? else {
        return Ok(None);
    };
    match json::parse(&bytes) {
        Ok(notice) => Ok(Some(notice)),
        Err(error) => {
            complain(
                cli.environment.redactor(),
                format_args!("{path} is passed over: {error}"),
            );
            Ok(None)
        }
    }
}

fn text<'v>(notice: &'v Value, name: &str) -> &'v str {
    notice.get(name).and_then(Value::as_str).unwrap_or("?")
}
