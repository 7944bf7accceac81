//! A filter that finds a system call's number by halving, not by going through a list.
//!
//! The kernel tries a filter on every number when it takes one, and again at each call that depends
//! on arguments. A list of some hundred comparisons costs it half a millisecond, which is as long as
//! starting a small program takes. What is decided here is decided by that list; it is only asked
//! beforehand, number by number.

use seccompiler::{BpfProgram, sock_filter};

/// Numbers below this are asked for; whatever is above does not exist.
const NUMBERS: u32 = 1024;

/// Instructions of classic BPF, as far as a list has them.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER: u16 = 0x25;
const JUMP_GREATER_EQUAL: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Offsets in what a filter looks at.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

/// What becomes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// This, whatever the arguments are.
    Always(u32),
    /// The list decides, by the arguments.
    Arguments,
}

/// The same as `list`, found faster; nothing where the list is not understood. `narrowed` is as much
/// of the list as depends on arguments.
pub(super) fn halving(
    list: &[sock_filter],
    narrowed: &[sock_filter],
    architecture: u32,
) -> Option<BpfProgram> {
    let mut runs: Vec<(u32, Fate)> = Vec::new();
    for number in 0..=NUMBERS {
        let fate = fate(list, architecture, number)?;
        if fate == Fate::Arguments && self::fate(narrowed, architecture, number)? != fate {
            return None;
        }
        if runs.last().is_none_or(|(_, last)| *last != fate) {
            runs.push((number, fate));
        }
    }
    let mut nodes = Vec::new();
    let Next::Node(_) = halves(&runs, &mut nodes)? else {
        return None;
    };
    // What a number comes to stands behind, once each; what looks at arguments stands behind that.
    let mut actions: Vec<u32> = Vec::new();
    for (_, fate) in &runs {
        if let Fate::Always(action) = fate
            && !actions.contains(action)
        {
            actions.push(*action);
        }
    }
    let leaves = HEAD + nodes.len();
    let arguments = leaves + actions.len();
    let place = |next: Next| match next {
        Next::Node(node) => Some(HEAD + node),
        Next::Fate(Fate::Arguments) => Some(arguments),
        Next::Fate(Fate::Always(wanted)) => {
            let at = actions.iter().position(|action| *action == wanted)?;
            Some(leaves + at)
        }
    };
    let mut program = vec![
        instruction(LOAD, 0, 0, ARCHITECTURE),
        // Another architecture has other numbers: what looks at arguments has an answer to that.
        instruction(JUMP_EQUAL, 1, 0, architecture),
        instruction(JUMP, 0, 0, u32::try_from(arguments.checked_sub(3)?).ok()?),
        instruction(LOAD, 0, 0, NUMBER),
    ];
    for Node { from, below, above } in nodes {
        // A jump is counted from behind itself, and in one byte.
        let behind = program.len() + 1;
        let over = |next| u8::try_from(place(next)?.checked_sub(behind)?).ok();
        program.push(instruction(
            JUMP_GREATER_EQUAL,
            over(above)?,
            over(below)?,
            from,
        ));
    }
    program.extend(
        actions
            .iter()
            .map(|action| instruction(RETURN, 0, 0, *action)),
    );
    program.extend(narrowed.iter().cloned());
    Some(program)
}

/// Instructions before the first comparison.
const HEAD: usize = 4;

/// One comparison: whether a number is `from` or above.
struct Node {
    from: u32,
    below: Next,
    above: Next,
}

/// Where a comparison leads.
#[derive(Clone, Copy)]
enum Next {
    Node(usize),
    Fate(Fate),
}

/// Adds the comparisons that tell `runs` apart, each before those it leads to; gives the first.
fn halves(runs: &[(u32, Fate)], nodes: &mut Vec<Node>) -> Option<Next> {
    if let [(_, fate)] = runs {
        return Some(Next::Fate(*fate));
    }
    let (below, above) = runs.split_at_checked(runs.len() / 2)?;
    let (from, _) = above.first()?;
    let at = nodes.len();
    let nothing = Next::Fate(Fate::Arguments);
    nodes.push(Node {
        from: *from,
        below: nothing,
        above: nothing,
    });
    let (below, above) = (halves(below, nodes)?, halves(above, nodes)?);
    let node = nodes.get_mut(at)?;
    (node.below, node.above) = (below, above);
    Some(Next::Node(at))
}

/// Goes through `program` as the kernel would for this number; nothing where it is not understood.
fn fate(program: &[sock_filter], architecture: u32, number: u32) -> Option<Fate> {
    let mut at = 0_usize;
    let mut held = 0;
    // It goes forward only, so it comes to an end.
    loop {
        let instruction = program.get(at)?;
        let jump = |holds: bool| {
            usize::from(if holds {
                instruction.jt
            } else {
                instruction.jf
            })
        };
        at += 1;
        match (instruction.code, instruction.k) {
            (LOAD, NUMBER) => held = number,
            (LOAD, ARCHITECTURE) => held = architecture,
            (LOAD, _) => return Some(Fate::Arguments),
            (RETURN, action) => return Some(Fate::Always(action)),
            (JUMP, over) => at += usize::try_from(over).ok()?,
            (JUMP_EQUAL, value) => at += jump(held == value),
            (JUMP_GREATER, value) => at += jump(held > value),
            (JUMP_GREATER_EQUAL, value) => at += jump(held >= value),
            _ => return None,
        }
    }
}

const fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::linux::filter::{self, ARCHITECTURE, Metadata};
    use crate::confine::{Grant, Network};

    #[test]
    fn every_number_has_the_fate_that_the_list_gives_it() {
        let all = Network {
            tcp_ports: vec![443],
            udp: Grant::Granted,
            unix: Grant::Granted,
        };
        for network in [Network::default(), all] {
            for metadata in [
                Metadata::OfOpenFiles,
                Metadata::Nobodys,
                Metadata::OfAnyPath,
            ] {
                let [list, _] = filter::lists(&network, metadata).unwrap();
                let fast = filter::compile(&network, metadata).unwrap();
                assert!(fast.len() < list.len(), "{} of {}", fast.len(), list.len());
                let numbers = (0..4 * NUMBERS).chain([1 << 30, (1 << 30) + 1, u32::MAX]);
                for number in numbers {
                    for architecture in [ARCHITECTURE, ARCHITECTURE ^ 1] {
                        assert_eq!(
                            fate(&fast, architecture, number),
                            fate(&list, architecture, number),
                            "{number}"
                        );
                    }
                }
            }
        }
    }
}
