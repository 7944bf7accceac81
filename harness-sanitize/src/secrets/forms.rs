//! What the keys of a service look like that have no prefix: an alphabet and a length.
//!
//! Such a key is told by the service's name before it. Where the form is known, what has another
//! one is no key of that service: an identifier, an example, a mistyped key. The forms are those
//! that public detectors know, as far as labelled examples bear them out; what a service documents
//! of itself was not looked up, and one that changes its form has to be changed here.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::vendors::names_vendor;

/// Text before a value in which a service is looked for, in bytes: a line and the one before it.
const MAX_BACK: usize = 96;

/// Shortest value that is measured against the forms, in bytes. None of them is shorter.
const MIN_KEY: usize = 8;

/// Of what characters a key is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alphabet {
    /// Digits and `a` to `f`, all of one case.
    Hex,
    /// Digits and small letters.
    Lower,
    /// Digits and capitals.
    Upper,
    /// Digits and letters.
    Mixed,
    /// Digits, small letters and hyphens: a UUID and what is written like one.
    Dashed,
    /// Digits, letters, hyphens and underscores.
    Word,
    /// The characters of base64.
    Base64,
}

impl Alphabet {
    fn holds(self, value: &str) -> bool {
        let all = |wanted: fn(&u8) -> bool| value.as_bytes().iter().all(wanted);
        match self {
            Self::Hex => {
                all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                    || all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
            }
            Self::Lower => all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z')),
            Self::Upper => all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'Z')),
            Self::Mixed => all(u8::is_ascii_alphanumeric),
            Self::Dashed => all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'-')),
            Self::Word => all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
            Self::Base64 => {
                let digits = value.trim_end_matches('=');
                let of_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
                digits.bytes().all(of_base64)
            }
        }
    }
}

use Alphabet::{Base64, Dashed, Hex, Lower, Mixed, Upper, Word};

/// By alphabet and length, the services whose keys look like that. One that has keys of several
/// forms stands in several rows. Names that are ordinary words are left out.
#[rustfmt::skip]
static FORMS: &[(Alphabet, usize, &[&str])] = &[
    (Hex, 32, &["amplitude", "api2cart", "ipstack", "madkudu", "pdfshift", "theoddsapi"]),
    (Hex, 40, &["klipfolio", "meraki", "nicereply", "sendbird"]),
    (Hex, 24, &["metaapi", "sendbird"]),
    (Hex, 64, &["aha.io", "ambee", "boostnote", "captaindata", "metaapi", "virustotal", "youneedabudget"]),
    (Lower, 16, &["coinlib", "metrilo"]),
    (Lower, 20, &["finnhub", "uploadcare"]),
    (Lower, 22, &["bugherd"]),
    (Lower, 24, &["flightapi", "onepagecrm"]),
    (Lower, 26, &["mattermost", "smartsheet"]),
    (Lower, 30, &["twitch", "centralstation", "scrapeowl"]),
    (Lower, 32, &[
        "abstract api", "adzuna", "alconost", "apiflash", "assemblyai", "atera", "aviationstack", "axonaut",
        "aylien", "azure", "billomat", "bitbar", "bulbul", "checklyhq", "clinchpad", "cloudelements",
        "coinlayer", "countrylayer", "currencyfreaks", "currencylayer", "currencyscoop",
        "detectlanguage", "diffbot", "edamam", "exchangerates", "flickr", "flightstats", "geoapify",
        "ipapi", "ipgeolocation", "ipquality", "jotform", "languagelayer", "mailboxlayer",
        "mailerlite", "marketstack", "meaningcloud", "mediastack", "moonclerk", "newsapi",
        "numverify", "nutritionix", "opencagedata", "openuv", "openweather", "pdflayer",
        "pipedream", "rawg", "redhat", "scraperapi", "scrapestack", "scrapingant", "serpstack",
        "sherpadesk", "siteleaf", "spoonacular", "survicate", "taxjar", "travelpayouts",
        "twelvedata", "upwave", "userstack", "vatlayer", "walkscore", "weatherbit", "weatherstack",
        "yousign", "zerobounce",
    ]),
    (Lower, 33, &["simvoly", "whoxy"]),
    (Lower, 40, &[
        "versioneye", "buddyns", "buttercms", "calendarific", "deepgram", "geocodify", "getgeoapi",
        "lokalise", "owlbot", "simplesat", "teamgate", "tiingo", "todoist",
    ]),
    (Lower, 52, &["azure"]),
    (Lower, 64, &[
        "alienvault", "allsports", "appsynergy", "campayn", "currencycloud", "freshbooks",
        "ipinfodb", "mavenlink", "peopledatalabs", "qubole",
    ]),
    (Lower, 80, &["abuseipdb"]),
    (Upper, 32, &["aletheia", "scraperbox", "upcdatabase", "verimail", "veriphone"]),
    (Upper, 34, &["bscscan", "etherscan"]),
    (Upper, 48, &["foursquare", "sigopt", "technicalanalysis"]),
    (Upper, 64, &["tmetric"]),
    (Upper, 80, &["scrapingbee"]),
    (Mixed, 16, &["amadeus", "autodesk"]),
    (Mixed, 17, &["airtable"]),
    (Mixed, 20, &["appfollow", "artsy", "easyinsight", "freshdesk", "invoiceocean"]),
    (Mixed, 24, &["jira", "bannerbear", "ronin"]),
    (Mixed, 25, &["ronin"]),
    (Mixed, 26, &["ronin"]),
    (Mixed, 30, &["alibaba"]),
    (Mixed, 32, &[
        "algolia", "amadeus", "apilayer", "apimetrics", "artsy", "autodesk", "delighted", "droneci", "feedier",
        "financialmodelingprep", "fixerio", "linkpreview", "liveagent", "mapquest",
        "postageapp", "securitytrails", "shodan", "signupgenius", "ticketmaster",
        "tomorrowio", "tomtom", "tyntec", "vpnapi",
    ]),
    (Mixed, 37, &["smartsheet"]),
    (Mixed, 39, &["apitemplate"]),
    (Mixed, 40, &[
        "abyssale", "apideck", "azure", "brandfetch", "calorieninja", "jumpcloud", "oopspam", "pandadoc",
        "pipedrive", "powrbot", "purestake", "shotstack", "stockdata", "worksnaps",
    ]),
    (Mixed, 43, &["bitcoinaverage", "meistertask", "mindmeister", "paralleldots"]),
    (Mixed, 44, &["geckoboard", "intrinio"]),
    (Mixed, 48, &["clockify", "restpack"]),
    (Mixed, 52, &["azure"]),
    (Mixed, 60, &["webscraper", "workstack"]),
    (Mixed, 64, &["iconfinder", "mesibo", "partnerstack", "webflow", "zipcodeapi"]),
    (Mixed, 80, &["crowdin", "opengraphr", "teamgate"]),
    (Mixed, 84, &["azure"]),
    (Dashed, 20, &["alegra"]),
    (Dashed, 32, &["audd", "loyverse", "uplead"]),
    (Dashed, 36, &[
        "blocknative", "airvisual", "apacta", "apptivo", "azure", "bugsnag", "captaindata", "cliengo",
        "cloudmersive", "findl", "graphhopper", "insightly", "kylas",
        "loginradius", "moosend", "postmark", "refiner", "saucelabs", "scaleway", "selectpdf",
        "signalwire", "squarespace", "urlscan", "zenscrape", "zenserp",
    ]),
    (Dashed, 39, &["appcues"]),
    (Dashed, 40, &["gitter", "versioneye"]),
    (Word, 22, &["quickmetrics", "travisci"]),
    (Word, 24, &["bitmex"]),
    (Word, 25, &["baremetrics", "messagebird"]),
    (Word, 27, &["cloudinary"]),
    (Word, 32, &["airbrake", "apptivo", "auth0", "datadog", "faceplusplus", "pastebin", "positionstack"]),
    (Word, 40, &["airbrake", "bitly", "datadog"]),
    (Word, 43, &["bitfinex", "newscatcher", "unsplash"]),
    (Word, 48, &["bitmex"]),
    (Word, 50, &["rapidapi"]),
    (Word, 64, &["apimatic", "auth0"]),
    (Word, 71, &["solarwinds"]),
    (Base64, 40, &["aws_secret"]),
    (Base64, 44, &["jira", "brandfetch"]),
    (Base64, 88, &["azure"]),
    (Base64, 372, &["aiven"]),
];

struct Services {
    search: AhoCorasick,
    /// For each pattern of the search a row of the table.
    rows: Vec<(Alphabet, usize)>,
}

static SERVICES: LazyLock<Option<Services>> = LazyLock::new(|| {
    let patterns = FORMS.iter().flat_map(|(alphabet, length, names)| {
        names.iter().map(|name| (*name, (*alphabet, *length)))
    });
    let (names, rows): (Vec<&str>, Vec<(Alphabet, usize)>) = patterns.unzip();
    Some(Services {
        search: AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(names)
            .ok()?,
        rows,
    })
});

/// How a value fits the services that are named before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// None is named whose form is known.
    Unknown,
    /// It has the form of one of them.
    Key,
    /// It has another form than all of them.
    NoKey,
}

/// How `value`, at byte `at` of `text`, fits the services that are named before it.
pub(super) fn fit(text: &str, at: usize, value: &str) -> Fit {
    let Some(services) = &*SERVICES else {
        return Fit::Unknown;
    };
    if value.len() < MIN_KEY {
        return Fit::Unknown;
    }
    let mut fit = Fit::Unknown;
    for hit in services.search.find_overlapping_iter(before(text, at)) {
        let row = services.rows.get(hit.pattern().as_usize());
        if row.is_some_and(|(alphabet, length)| value.len() == *length && alphabet.holds(value)) {
            return Fit::Key;
        }
        fit = Fit::NoKey;
    }
    fit
}

/// Whether a service that issues keys is named before byte `at` of `text`.
pub(super) fn names_service(text: &str, at: usize) -> bool {
    let before = before(text, at).to_ascii_lowercase();
    let mut words = before.split(|ch: char| !ch.is_ascii_alphanumeric());
    words.any(names_vendor)
        || SERVICES
            .as_ref()
            .is_some_and(|services| services.search.is_match(&before))
}

/// What is before a value, as far as a service is looked for.
fn before(text: &str, at: usize) -> &str {
    let start = text.ceil_char_boundary(at.saturating_sub(MAX_BACK));
    text.get(start..at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_form_of_the_service_before_it() {
        let key = "0f".repeat(32);
        for (text, value, expected) in [
            ("ambee key: ", key.as_str(), Fit::Key),
            ("AMBEE_API\nkey: ", key.as_str(), Fit::Key),
            ("ambee key: ", &"0f".repeat(31), Fit::NoKey),
            ("ambee key: ", &key.replace('f', "y"), Fit::NoKey),
            ("key: ", &"0f".repeat(31), Fit::Unknown),
            ("ambee or buddyns: ", &"0f".repeat(20), Fit::Key),
        ] {
            assert_eq!(fit(text, text.len(), value), expected, "{text}");
        }
    }

    #[test]
    fn a_form_is_an_alphabet() {
        for (alphabet, holds, not) in [
            (Hex, "0af9", "0aF9"),
            (Lower, "0z", "0Z"),
            (Upper, "0Z", "0z"),
            (Mixed, "0zZ", "0_"),
            (Dashed, "0-z", "0-Z"),
            (Word, "0-_Z", "0.z"),
            (Base64, "0+/==", "0=+"),
        ] {
            assert!(
                alphabet.holds(holds) && !alphabet.holds(not),
                "{alphabet:?}"
            );
        }
    }
}
