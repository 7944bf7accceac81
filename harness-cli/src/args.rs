//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::output::Format;

/// Closes the loop around an agent: failures become notices, notices candidate rules, and rules
/// that are proven become advice that agents may read.
#[derive(Debug, Parser)]
#[command(
    name = "harness",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 a check found something; 2 bad usage or configuration; \
                  3 the workspace cannot be used; 4 an outside part failed; 5 it cannot tell.\n\n\
                  Example:\n  harness demo --keep /tmp/loop"
)]
pub(crate) struct Args {
    /// The workspace [default: HARNESS_ROOT, else /harness if writable, else
    /// ~/.local/state/harness]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Text for people, or JSON for programs
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Shows the whole loop in a workspace of its own, offline
    ///
    /// An agent fails, a notice appears, repair proposes a rule, a trial proves it, the agent gets
    /// better. `--root` does not apply: the demo makes its own workspace.
    #[command(after_help = "Example:\n  harness demo --keep /tmp/loop")]
    Demo {
        /// Keep the workspace in this folder, which must be empty or not exist
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
    },
    /// Creates a workspace; safe to repeat
    #[command(after_help = "Example:\n  harness init --root /var/lib/harness")]
    Init,
    /// Feeds recorded conversations and spans as finished turns and settles each session
    ///
    /// Reads message lists of OpenAI and Anthropic, and spans: OTLP as JSON or protocol buffers,
    /// single spans as SDKs print them, exports of Langfuse; JSON lines and gzip of any.
    #[command(after_help = "Examples:\n  \
        harness run --traces conversations/ --repair builtin\n  \
        export-conversations | harness run --traces - --format json\n\n\
        A file of hints is JSON: {\"task_summary\": TEXT, \"principal\": NAME, \"host_labels\": \
        [SCOPE], \"scope_hints\": [{\"key\": SCOPE, \"description\": TEXT, \"applicability\": \
        \"global|topical|task\", \"recommended\": BOOL}], \"sessions\": {ID: the same keys for one \
        session}}")]
    Run(Run),
    /// Pending notices, rules by status, breaker, last evaluation, chain head
    #[command(after_help = "Example:\n  harness status --format json")]
    Status,
    /// Lists notices, or shows one
    #[command(after_help = "Examples:\n  harness notices --all\n  \
        harness notices n-20261130T112614500145-0a1b2c3d")]
    Notices {
        /// Resolved ones too
        #[arg(long)]
        all: bool,
        /// Shows this one
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// Lists rules, shows one, or searches
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  harness rules --status active\n  harness rules r-0123456789\n  \
            harness rules search \"read_file not_found\""
    )]
    Rules(Rules),
    /// Calls one of the four task tools as an agent would; exit 1 if the answer is not ok
    ///
    /// With a session, the arms of that session apply; without one, active rules only are seen.
    #[command(after_help = "Examples:\n  harness tool harness_rules_list '{}'\n  \
        harness tool harness_rules_search '{\"query\": \"reports\"}' --session chat-17")]
    Tool {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Its arguments, as a JSON object
        #[arg(value_name = "JSON", default_value = "{}")]
        arguments: String,
        /// The session that calls
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Reads events, as JSON lines
    #[command(after_help = "Example:\n  harness journal --last 20 --kind rule_promote")]
    Journal {
        /// The newest N events only
        #[arg(long, value_name = "N")]
        last: Option<usize>,
        /// Events of this kind only
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Goes on with what is appended, until stopped
        #[arg(long)]
        follow: bool,
    },
    /// Verifies the chain, its anchor and the files beside it; prints the timeline
    #[command(
        after_help = "Example:\n  harness audit --since 2026-11-30T00:00:00Z --kind rule_promote"
    )]
    Audit {
        /// Events from this time on (RFC 3339)
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Events of this kind only
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// From failure to verdict: notice, episode, proposal, trial, numbers
    #[command(after_help = "Example:\n  harness explain r-0123456789")]
    Explain {
        /// The rule
        #[arg(value_name = "RULE")]
        rule: String,
    },
    /// Derives a rule's verdict again from the journal alone
    #[command(after_help = "Example:\n  harness verify r-0123456789")]
    Verify {
        /// The rule
        #[arg(value_name = "RULE")]
        rule: String,
    },
    /// Takes a rule out of use
    #[command(after_help = "Example:\n  harness retire r-0123456789 --reason \"the tool is gone\"")]
    Retire {
        /// The rule
        #[arg(value_name = "RULE")]
        rule: String,
        /// Why; kept in the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Clears the breaker, so that repair goes on
    #[command(after_help = "Example:\n  harness resume --reason \"the outage is over\"")]
    Resume {
        /// Why; kept in the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// What holds on this machine: place, anchor, space, locks, syncs, files, chain, platform
    ///
    /// The platform's binary is the one that HARNESS_CLI_BINARY names, else `pandaprobe` in PATH.
    #[command(after_help = "Examples:\n  harness doctor --root /var/lib/harness\n  \
        harness doctor --repair openai/gpt-5-mini")]
    Doctor {
        /// Makes one tiny call to this repair model too, and says what it cost
        #[arg(long, value_name = "MODEL")]
        repair: Option<String>,
    },
    /// Takes over a workspace of pandaprobe-harness 0.9; safe to repeat
    ///
    /// Its rules keep their status by its word, marked as imported; active ones are on holdout
    /// trial from now on. The workspace is created where there is none.
    #[command(after_help = "Example:\n  harness import /harness-0.9 --root /var/lib/harness")]
    Import {
        /// That workspace
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Writes a workspace that pandaprobe-harness 0.9 reads
    #[command(after_help = "Example:\n  harness export /tmp/harness-0.9")]
    Export {
        /// A folder that is empty or does not exist
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Plays the published attacks, each on a workspace of its own, offline
    ///
    /// Canaries are planted wherever a host, an agent, a judge or a model speaks; exit 1 names the
    /// attacks by which one got where it should not, or a rule became active. `--root` does not
    /// apply.
    #[command(after_help = "Example:\n  harness redteam --scenario secret-in-tool-result")]
    Redteam {
        /// Only this one
        #[arg(long, value_name = "ID")]
        scenario: Option<String>,
    },
    /// Cleans text: no control sequences, nothing hidden, no imitation of our own voice
    #[command(after_help = "Example:\n  harness sanitize --max-len 2000 < page.txt")]
    Sanitize {
        /// Bytes at most; 0 for no bound
        #[arg(long, value_name = "N", default_value_t = 0)]
        max_len: usize,
    },
    /// Finds secrets, as JSON lines with byte offsets; exit 1 if there are any
    #[command(after_help = "Example:\n  harness scan < log.txt")]
    Scan,
    /// Replaces secrets by their kinds
    #[command(after_help = "Example:\n  harness redact < log.txt > clean.txt")]
    Redact,
    /// Runs one command under the default shell policy, confined to the folder that this is called in
    ///
    /// Exit 1 where the policy refuses it or it does not exit with 0; its own code is in the JSON,
    /// 124 for a timeout. Exit 4 where nothing on this machine confines: nothing runs then.
    #[command(after_help = "Examples:\n  harness shell -- cat notes.txt\n  \
        harness shell --explain -- jq .name package.json")]
    Shell {
        /// Says what the policy decides and why, and runs nothing
        #[arg(long)]
        explain: bool,
        /// A binary of the policy, and its words
        #[arg(value_name = "ARGV", last = true, required = true)]
        command: Vec<String>,
    },
    /// What the command policy says of shell lines, as JSON lines; exit 1 unless it allows all
    ///
    /// Paths are judged from the folder that this is called in.
    #[command(after_help = "Example:\n  harness check-command 'ls -la | wc -l' 'sudo ls'")]
    CheckCommand {
        /// A line for a shell
        #[arg(value_name = "LINE", required = true, allow_hyphen_values = true)]
        lines: Vec<String>,
    },
    /// What the web policy says of URLs, as JSON lines; exit 1 if any is not allowed
    #[command(after_help = "Examples:\n  harness check-url https://example.org/\n  \
        harness check-url --no-resolve http://0x7f.1/")]
    CheckUrl {
        /// Judges the spelling alone, where there is no resolver
        #[arg(long)]
        no_resolve: bool,
        /// The URLs
        #[arg(value_name = "URL", required = true)]
        urls: Vec<String>,
    },
    /// What the guard says of a tool call
    #[command(subcommand, after_help = "Example:\n  harness guard check call.json")]
    Guard(GuardVerb),
    /// What all active rules together change, with an interval that holds at any time
    ///
    /// One session in twenty is shown no rule; what becomes of those is compared with the rest.
    /// Exit 5 if nothing can be said yet.
    #[command(after_help = "Example:\n  harness worth --format json")]
    Worth,
    /// The eval set against today's rules; a case that no host is here to run is skipped
    ///
    /// Exit 1 if a win failed when a host last ran it, 5 if every case is skipped.
    #[command(after_help = "Example:\n  harness eval --sample 10")]
    Eval {
        /// The newest N cases only
        #[arg(long, value_name = "N")]
        sample: Option<usize>,
    },
    /// How well alerts match failures; without labels, what scores look like
    #[command(
        after_help = "Example:\n  harness calibrate --labels labels.json --fit\n\n\
        A file of labels is JSON: {SESSION ID: \"failure\" or \"success\"}. Runs of one task are \
        named alike up to their last `-N`."
    )]
    Calibrate(Calibrate),
    /// Prints what completes this command line in a shell
    #[command(after_help = "Examples:\n  \
        harness completions bash > /etc/bash_completion.d/harness\n  \
        harness completions fish > ~/.config/fish/completions/harness.fish")]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
}

/// What `guard` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardVerb {
    /// Decides a call step by step and says why; nothing runs; exit 1 if it is not allowed
    ///
    /// Tools are the standard ones unless the file declares others. `HARNESS_` variables set what
    /// the file does not.
    #[command(
        after_help = "Example:\n  harness guard check call.json --format json\n\n\
        The file is JSON: {\"call\": {\"name\": TEXT, \"arguments\": OBJECT}, \"root\": DIR, \
        \"phase\": {\"name\": TEXT, \"role\": \"worker|verifier|orchestrator\", \"grant\": \
        [TOOL], \"deny\": [TOOL], \"network\": BOOL}, \"mode\": \
        \"default|acceptEdits|dangerouslySkipPermissions\", \"goal\": TEXT, \"plan\": TEXT, \
        \"policy\": {\"allow\": [ENTRY], \"deny\": [ENTRY]}, \"tools\": [{\"name\": TEXT, \
        \"schema\": SCHEMA, \"effect\": \"read|network|write|execute\", \"arguments\": {NAME: \
        \"path|pattern|url|command|content|offset|count\"}, \"confirm\": \"always\"}]}; only the \
        call is needed"
    )]
    Check {
        /// The call, and what it is made in
        #[arg(value_name = "CALL.json")]
        call: PathBuf,
        /// Asks whoever sits at the terminal what a person is to be asked
        #[arg(long)]
        ask: bool,
    },
}

/// What `calibrate` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Calibrate {
    /// What became of each session
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Fits an alert model to this workload, and saves it in the workspace
    #[arg(long, requires = "labels")]
    pub(crate) fit: bool,
}

/// What `run` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// Files or folders; `-` is stdin
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Who repairs: `builtin` (offline, free), `none`, or PROVIDER/MODEL where this build has
    /// models of providers (`--features rig`); the provider's own variable holds its key
    #[arg(long, value_name = "MODEL", default_value = "builtin")]
    pub(crate) repair: String,
    /// Evaluates and journals what would have been posted; changes nothing else
    #[arg(long)]
    pub(crate) observe_only: bool,
    /// What the host knows of the sessions
    #[arg(long, value_name = "FILE")]
    pub(crate) hints: Option<PathBuf>,
}

/// What `rules` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub(crate) verb: Option<RulesVerb>,
    /// Rules of this scope only
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    /// Rules of this status only: candidate, active or retired
    #[arg(long, value_name = "STATUS", value_parser = ["candidate", "active", "retired"])]
    pub(crate) status: Option<String>,
    /// Shows this one
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// What `rules` can do beside listing.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesVerb {
    /// The rules that match a topic, best first
    #[command(after_help = "Example:\n  harness rules search \"read_file not_found\"")]
    Search {
        /// The topic
        #[arg(value_name = "QUERY")]
        query: String,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Args;

    #[test]
    fn the_definition_holds_and_each_command_has_an_example() {
        let mut command = Args::command();
        command.build();
        command.clone().debug_assert();
        for verb in command
            .get_subcommands()
            .filter(|verb| verb.get_name() != "help")
        {
            let help = verb
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.contains("Example"), "{}", verb.get_name());
        }
    }
}
