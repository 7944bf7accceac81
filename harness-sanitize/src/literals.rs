//! Finding a few words in much text.

use std::ops::Range;

/// Groups that words are put in: the bits of a filter's entry.
const GROUPS: usize = 32;

/// A search for ASCII words of `N` bytes and more, in any case.
///
/// A filter over `N` bytes (for each byte and place the groups of words that have it there)
/// passes over most text without a branch; what it lets through is compared. The filter is the
/// first step of Teddy and FDR (Wang et al. 2019), one byte at a time.
#[derive(Clone, Debug)]
pub(crate) struct Literals<const N: usize> {
    words: &'static [&'static str],
    filter: [[u32; 256]; N],
}

impl<const N: usize> Literals<N> {
    /// A search for `words`. A word of less than `N` bytes is never found.
    pub(crate) fn new(words: &'static [&'static str]) -> Self {
        let mut filter = [[0; 256]; N];
        for (index, word) in words.iter().enumerate() {
            let start = word.as_bytes().first_chunk::<N>();
            for (place, byte) in filter.iter_mut().zip(start.into_iter().flatten()) {
                for spelt in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                    if let Some(groups) = place.get_mut(usize::from(spelt)) {
                        *groups |= 1 << (index % GROUPS);
                    }
                }
            }
        }
        Self { words, filter }
    }

    /// The words in `text`, by place, then by their order in the list; with the index of each.
    pub(crate) fn find_iter<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        let bytes = text.as_bytes();
        let mut from = 0;
        std::iter::from_fn(move || {
            let (at, groups) = self.next_start(bytes, from)?;
            from = at + 1;
            Some((at, groups))
        })
        .flat_map(move |(at, groups)| self.words_at(bytes, at, groups))
    }

    /// The next place from `from` on where a word may start, and of which groups.
    fn next_start(&self, bytes: &[u8], from: usize) -> Option<(usize, u32)> {
        let groups = |window: &[u8]| {
            window
                .iter()
                .zip(&self.filter)
                .fold(u32::MAX, |groups, (byte, place)| {
                    groups & place.get(usize::from(*byte)).copied().unwrap_or_default()
                })
        };
        let windows = bytes.get(from..)?.windows(N);
        let mut of = 0;
        let at = windows.map(groups).position(|groups| {
            of = groups;
            groups != 0
        })?;
        Some((from + at, of))
    }

    fn words_at<'a>(
        &'a self,
        bytes: &'a [u8],
        at: usize,
        groups: u32,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        let mut left = groups;
        let in_groups = std::iter::from_fn(move || {
            let group = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (group < GROUPS).then_some(group)
        });
        let indices = in_groups.flat_map(move |group| (group..self.words.len()).step_by(GROUPS));
        indices.filter_map(move |index| {
            let word = self.words.get(index)?;
            let place = at..at + word.len();
            let found = bytes.get(place.clone())?;
            found
                .eq_ignore_ascii_case(word.as_bytes())
                .then_some((index, place))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_found_in_any_case() {
        let search = Literals::<3>::new(&["key", "keys", "_pat", "é"]);
        let found: Vec<_> = search.find_iter("a KEYS_pat, é").collect();
        assert_eq!(found, [(0, 2..5), (1, 2..6), (2, 6..10)]);
        assert_eq!(search.find_iter("").count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_filter_hides_no_word(text in "(key|KEYS|tok|token| to|en|[a-z é]){0,40}") {
            static WORDS: &[&str] = &["key", "keys", "token", " to", "enk"];
            let found: Vec<_> = Literals::<3>::new(WORDS).find_iter(&text).collect();
            let mut expected = Vec::new();
            for (at, _) in text.char_indices() {
                for (index, word) in WORDS.iter().enumerate() {
                    let part = text.get(at..at + word.len());
                    if part.is_some_and(|part| part.eq_ignore_ascii_case(word)) {
                        expected.push((index, at..at + word.len()));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
