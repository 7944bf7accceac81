//! An opened workspace, with its halves behind the desks that may use them.

use harness_core::MetricRegistry;
use harness_store::{GuardLog, Halves, Reader, Watch};

use crate::book::RuleBook;
use crate::evidence::MasterKey;
use crate::operator_desk::OperatorDesk;
use crate::repair_desk::RepairDesk;
use crate::settings::Settings;
use crate::validation_desk::ValidationDesk;

/// Everything that works on one workspace. Hand each part to whom it is for, and to nobody else: a
/// task agent's tools get the book, the repair agent its desk, an operator theirs.
pub struct Desks {
    /// For whoever reads.
    pub reader: Reader,
    /// For the engine.
    pub watch: Watch,
    /// The rules, for reading; makes the toolsets of task agents.
    pub book: RuleBook,
    /// For the repair agent.
    pub repair: RepairDesk,
    /// For the engine's validation; no agent gets it.
    pub validation: ValidationDesk,
    /// For the operator.
    pub operator: OperatorDesk,
    /// For guards of tool calls, which are no part of this crate.
    pub guard: GuardLog,
}

impl Desks {
    /// Puts the halves of an opened workspace behind their desks. `registry` has the metrics that
    /// are measured; a rule may name no other.
    pub fn of(halves: Halves, registry: MetricRegistry, settings: Settings) -> Self {
        let key = halves.key.map(|key| MasterKey::new(*key.expose()));
        let book = RuleBook::new(&halves.reader, halves.entries, key, settings);
        Self {
            repair: RepairDesk::new(book.clone(), halves.reader.clone(), halves.repair, registry),
            validation: ValidationDesk::new(book.clone(), halves.reader.clone(), halves.validation),
            operator: OperatorDesk::new(book.clone(), halves.operator),
            reader: halves.reader,
            watch: halves.watch,
            guard: halves.guard,
            book,
        }
    }
}
