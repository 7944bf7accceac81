//! The world of the demo: for each session a fresh folder of station reports, on the real disk.
//!
//! ```text
//! stations/harbour/report.csv          the name that the agent expects
//! stations/mill/report-final.csv       or one of several that it does not
//! out/                                 where the total goes
//! ```
//!
//! All reports of a session are filed in one way, chosen by the dice, so that the agent's habit
//! fits some sessions and not others. A few reports hold an amount in a spelling that the agent
//! does not read; no rule about tools can help with those.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use super::seeded::Dice;

/// Sessions of a hundred whose reports lie where the agent expects them.
const HABIT_FITS: u64 = 45;
/// Sessions of a hundred in which one amount is written in an odd way.
const ODD_AMOUNT: u64 = 5;
/// Amounts are below this.
const MOST: u64 = 9_000;

const STATIONS: [&str; 8] = [
    "harbour", "mill", "quarry", "orchard", "ferry", "tower", "weir", "depot",
];
const ITEMS: [&str; 6] = ["pump", "rope", "lamp", "valve", "crate", "cable"];

/// What the user asks in every session.
pub(crate) const REQUEST: &str =
    "Add up the amounts in the reports of all stations and write the total to out/total.txt.";
/// The folder with one folder a station.
pub(crate) const STATIONS_FOLDER: &str = "stations";
/// The folder for the answer.
pub(crate) const OUT_FOLDER: &str = "out";

/// How a session's reports are filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filing {
    /// `report.csv`, as the agent expects.
    Usual,
    /// `report-final.csv`
    Final,
    /// `<station>.csv`
    ByStation,
    /// `spring/report.csv`
    InFolder,
}

impl Filing {
    fn throw(dice: &mut Dice) -> Self {
        if dice.chance(HABIT_FITS) {
            return Self::Usual;
        }
        dice.one_of(&[Self::Final, Self::ByStation, Self::InFolder])
            .copied()
            .unwrap_or(Self::Final)
    }

    fn path(self, station: &str) -> String {
        match self {
            Self::Usual => "report.csv".to_owned(),
            Self::Final => "report-final.csv".to_owned(),
            Self::ByStation => format!("{station}.csv"),
            Self::InFolder => "spring/report.csv".to_owned(),
        }
    }
}

/// Makes the folder of session number `session` beneath `work` and returns it.
///
/// # Errors
/// The disk's.
pub(crate) fn build(work: &Path, seed: u64, session: u32) -> io::Result<PathBuf> {
    let folder = work.join(format!("session-{session:04}"));
    let mut dice = Dice::new(seed, session);
    let filing = Filing::throw(&mut dice);
    let mut odd = dice.chance(ODD_AMOUNT);
    let stations = stations(&mut dice);
    for station in &stations {
        let path = folder
            .join(STATIONS_FOLDER)
            .join(station)
            .join(filing.path(station));
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).create(parent)?;
        }
        fs::write(path, report(&mut dice, std::mem::take(&mut odd)))?;
    }
    DirBuilder::new().create(folder.join(OUT_FOLDER))?;
    Ok(folder)
}

fn stations(dice: &mut Dice) -> Vec<&'static str> {
    let wanted = 2 + usize::try_from(dice.below(2)).unwrap_or(0);
    let mut stations = Vec::new();
    while stations.len() < wanted {
        if let Some(station) = dice.one_of(&STATIONS)
            && !stations.contains(station)
        {
            stations.push(*station);
        }
    }
    stations
}

fn report(dice: &mut Dice, odd: bool) -> String {
    let mut text = "item,amount\n".to_owned();
    for row in 0..3 + dice.below(3) {
        let item = dice.one_of(&ITEMS).copied().unwrap_or("rope");
        let amount = 1_000 + dice.below(MOST - 1_000);
        let spelt = if odd && row == 0 {
            format!("{} {:03}", amount / 1000, amount % 1000)
        } else {
            amount.to_string()
        };
        text.push_str(&format!("{item},{spelt}\n"));
    }
    text
}

/// The right total of a session, from the files themselves: whatever they are called, and however
/// their amounts are spelt.
///
/// # Errors
/// The disk's.
pub(crate) fn right_total(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    let mut folders = vec![folder.join(STATIONS_FOLDER)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                total += sum(&fs::read_to_string(entry.path())?);
            }
        }
    }
    Ok(total)
}

fn sum(report: &str) -> u64 {
    report
        .lines()
        .skip(1)
        .filter_map(|row| row.split_once(','))
        .filter_map(|(_, amount)| amount.replace(' ', "").parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_the_same_for_the_same_seed() {
        let one = tempfile::tempdir().unwrap();
        let two = tempfile::tempdir().unwrap();
        for session in 0..20 {
            let total = |work: &Path| right_total(&build(work, 3, session).unwrap()).unwrap();
            let right = total(one.path());
            assert_eq!(right, total(two.path()));
            assert!(right > 0);
        }
    }

    #[test]
    fn names_differ_from_session_to_session() {
        let work = tempfile::tempdir().unwrap();
        let usual = (0..200)
            .filter(|session| {
                let stations = build(work.path(), 3, *session)
                    .unwrap()
                    .join(STATIONS_FOLDER);
                let first = fs::read_dir(stations).unwrap().next().unwrap().unwrap();
                first.path().join("report.csv").exists()
            })
            .count();
        assert!((60..120).contains(&usual), "{usual}");
    }

    #[test]
    fn an_amount_counts_however_it_is_spelt() {
        assert_eq!(sum("item,amount\nrope,1 204\nlamp,6\n"), 1210);
        assert_eq!(sum("item,amount\n"), 0);
    }
}
