//! The demo as a story for people.

use anyhow::Result;
use harness_core::{Span, SpanKind, SpanStatus};

use super::figures::{Count, Figures};
use super::stage::Story;
use crate::commands::Cli;
use crate::exit::Exit;
use crate::place::Place;

/// What stands for the folder of a demo that was not kept.
const SOMEWHERE: &str = "DIR";

/// Prints it.
///
/// # Errors
/// Of the pipe behind.
pub(super) fn print(
    cli: &mut Cli<'_>,
    story: &Story,
    figures: &Figures,
    place: &Place,
) -> Result<()> {
    failure(cli, story, figures)?;
    repair(cli, story, figures)?;
    verdict(cli, story, figures)?;
    table(cli, figures)?;
    controls(cli, figures)?;
    checks(cli, figures)?;
    look_closer(cli, story, place)
}

fn failure(cli: &mut Cli<'_>, story: &Story, figures: &Figures) -> Result<()> {
    let style = cli.out.style();
    cli.out.line(format_args!(
        "{} {} sessions of a small agent that adds up station reports: {} failed.",
        style.heading("watch "),
        figures.before.sessions,
        figures.before.failed
    ))?;
    cli.out
        .line("       (By the demo's clock there is one session each twenty minutes.)")?;
    let repaired = &story.repair.session;
    let Some(session) = story.before.iter().find(|session| session.id == *repaired) else {
        return Ok(());
    };
    cli.out
        .line(format_args!("       One of them, {}:", session.id))?;
    let spans = session.trace.spans().iter();
    for span in spans.filter(|span| !span.is_task_tool()) {
        cli.out.line(format_args!("         {}", told(span)))?;
    }
    for notice in &session.notices {
        cli.out.line(format_args!(
            "{} {notice}, as the developer's check found the answer wrong",
            style.heading("notice")
        ))?;
    }
    Ok(())
}

fn repair(cli: &mut Cli<'_>, story: &Story, figures: &Figures) -> Result<()> {
    let style = cli.out.style();
    let repair = &story.repair;
    cli.out.line(format_args!(
        "{} {} by the model `{}` in {} turns and {} calls: candidate {}",
        style.heading("repair"),
        repair.episode,
        repair.model,
        repair.usage.turns,
        repair.usage.tool_calls,
        story.rule
    ))?;
    cli.out.line(format_args!("       \"{}\"", figures.text))?;
    Ok(())
}

fn verdict(cli: &mut Cli<'_>, story: &Story, figures: &Figures) -> Result<()> {
    let style = cli.out.style();
    let heading = style.heading("prove ");
    let Some((event, numbers)) = figures.promotion() else {
        cli.out.line(format_args!(
            "{heading} {} within {} sessions: it is still {}",
            style.bad("not proven"),
            story.trial.len(),
            figures.verification.status
        ))?;
        return Ok(());
    };
    cli.out.line(format_args!(
        "{heading} {} in event {event}: e-value {:.0}, needed {:.0}",
        style.good("promoted"),
        numbers.e_value,
        numbers.threshold
    ))?;
    let ((shown, shown_fine), (hidden, hidden_fine)) = (numbers.treated, numbers.control);
    cli.out.line(format_args!(
        "       by the trial's own count {shown} of {} failed where it was shown, {hidden} of {} \
         where not",
        shown + shown_fine,
        hidden + hidden_fine
    ))?;
    Ok(())
}

fn table(cli: &mut Cli<'_>, figures: &Figures) -> Result<()> {
    let heading = format!("{:<40}{:>8} {:>7} {:>6}", "", "sessions", "failed", "rate");
    let heading = cli.out.style().heading(heading);
    cli.out.line("")?;
    cli.out.line(heading)?;
    row(cli, "before the rule", figures.before)?;
    row(
        cli,
        "on trial, rule hidden from the agent",
        figures.trial.hidden,
    )?;
    row(cli, "on trial, rule shown", figures.trial.shown)?;
    row(cli, "after the verdict", figures.after)?;
    row(
        cli,
        "  of these, rule held back to compare",
        figures.held_back,
    )
}

fn row(cli: &mut Cli<'_>, name: &str, count: Count) -> Result<()> {
    let percent = 100.0 * count.rate();
    Ok(cli.out.line(format_args!(
        "{name:<40}{:>8} {:>7} {percent:>4.0} %",
        count.sessions, count.failed
    ))?)
}

fn controls(cli: &mut Cli<'_>, figures: &Figures) -> Result<()> {
    let style = cli.out.style();
    cli.out.line("")?;
    cli.out.line(
        style.heading("Planted controls, on trial before the rule and in the same sessions as it"),
    )?;
    for control in &figures.controls {
        let status = match control.status {
            "active" => style.bad("promoted by chance"),
            _ => style.good("not promoted"),
        };
        let planted = &control.planted;
        cli.out.line(format_args!(
            "{}, {}: {status}",
            planted.control.name, planted.rule
        ))?;
        cli.out
            .line(format_args!("  \"{}\"", planted.control.rule))?;
        row(cli, "  hidden from the agent", control.arms.hidden)?;
        row(cli, "  shown", control.arms.shown)?;
    }
    Ok(())
}

fn checks(cli: &mut Cli<'_>, figures: &Figures) -> Result<()> {
    let style = cli.out.style();
    let verdict = if figures.verification.follows() {
        style.good("follows")
    } else {
        style.bad("does not follow")
    };
    let chain = if figures.audit.exit() == Exit::Done {
        style.good("unbroken, and its anchor knows the head")
    } else {
        style.bad("broken")
    };
    let found = match &figures.tampering.found {
        Some(found) => style.good(format_args!("caught, {found}")),
        None => style.bad("not caught"),
    };
    let byte = figures.tampering.byte;
    cli.out.line("")?;
    cli.out.line(format_args!(
        "{} the verdict, derived again from the journal alone: {verdict}",
        style.heading("verify")
    ))?;
    cli.out.line(format_args!(
        "{} the journal's chain: {chain}",
        style.heading("audit ")
    ))?;
    cli.out.line(format_args!(
        "{} byte {byte} of a copy of the journal, changed: {found}",
        style.heading("tamper")
    ))?;
    Ok(())
}

fn look_closer(cli: &mut Cli<'_>, story: &Story, place: &Place) -> Result<()> {
    let heading = cli.out.style().heading("Look closer");
    let paths = place.paths();
    let rule = &story.rule;
    cli.out.line("")?;
    cli.out.line(heading)?;
    let (root, config_dir) = if place.is_kept() {
        (
            quoted(&paths.root.to_string_lossy()),
            quoted(&paths.config_dir.to_string_lossy()),
        )
    } else {
        cli.out
            .line("  this workspace is gone; `harness demo --keep DIR` leaves one")?;
        (
            format!("{SOMEWHERE}/workspace"),
            format!("{SOMEWHERE}/config"),
        )
    };
    cli.out.line(format_args!(
        "  export HARNESS_CONFIG_DIR={config_dir} HARNESS_ROOT={root}"
    ))?;
    for (command, what) in [
        (
            format!("harness explain {rule}"),
            "from the failure to the verdict",
        ),
        (
            format!("harness verify {rule}"),
            "the verdict, derived again",
        ),
        ("harness audit".to_owned(), "the chain and the timeline"),
        (
            "harness rules; harness notices --all".to_owned(),
            "what there is",
        ),
    ] {
        cli.out.line(format_args!("  {command:<38} {what}"))?;
    }
    Ok(())
}

/// A step of the agent on one line.
fn told(span: &Span) -> String {
    if span.kind != SpanKind::Tool {
        return format!("\"{}\"", span.output);
    }
    let leaves = span.arguments.leaves().iter();
    let arguments: Vec<&str> = leaves.map(|leaf| leaf.value.as_str()).collect();
    let ended = match span.status {
        SpanStatus::Failed(class) => class.as_str(),
        SpanStatus::Ok => "ok",
        SpanStatus::Unknown => "?",
    };
    format!(
        "{:<44} {ended}",
        format!("{}({})", span.name, arguments.join(", "))
    )
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    if is_plain {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(quoted("/tmp/a-b"), "/tmp/a-b");
        assert_eq!(quoted("/tmp/it's here"), r"'/tmp/it'\''s here'");
    }
}
