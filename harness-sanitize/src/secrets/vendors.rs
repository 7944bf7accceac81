//! Services whose keys have no look of their own: they are told by the name that stands before them.

/// Names in lower case without signs, ascending, none the start of another.
#[rustfmt::skip]
static VENDORS: &[&str] = &[
    "abstractapi", "accuweather", "adafruit", "adobe", "adzuna", "agora", "airbrake", "airship",
    "airtable", "airvisual", "aiven", "alchemy", "alegra", "aletheia", "algolia", "alibaba",
    "alienvault", "allsports", "amadeus", "ambee", "amplitude", "anypoint", "apacta", "apideck",
    "apiflash", "apifonica", "apify", "apilayer", "apimatic", "apimetrics", "apitemplate", "apollo",
    "appcues", "appfollow", "appoptics", "appsynergy", "apptivo", "artifactory", "artsy", "asana",
    "assemblyai", "atera", "atlassian", "audd", "auth0", "autodesk", "autoklose", "autopilot",
    "avaza", "aviationstack", "axonaut", "aylien", "ayrshare", "bannerbear", "baremetrics",
    "beamer", "beebole", "betterstack", "billomat", "bitbar", "bitfinex", "bitly", "bitmex",
    "blazemeter", "blitapp", "blocknative", "bombbomb", "borgbase", "brandfetch", "browserstack",
    "browshot", "bscscan", "buddyns", "bugherd", "bugsnag", "buildkite", "bulbul", "buttercms",
    "caflou", "calendarific", "calendly", "calorieninja", "campayn", "cannyio", "capsulecrm",
    "captaindata", "centralstationcrm", "cexio", "chartmogul", "chatfule", "checio", "checklyhq",
    "circleci", "clarifai", "clearbit", "clickhelp", "clicksend", "clickup", "cliengo", "clinchpad",
    "clockify", "clockworksms", "cloudelements", "cloudflare", "cloudimage", "cloudinary",
    "cloudmersive", "cloudplan", "cloverly", "clustdoc", "codacy", "codeclimate", "codecov",
    "codemagic", "codequiry", "coinapi", "coinbase", "coinlayer", "coinlib", "column", "commercejs",
    "companyhub", "confluent", "contentful", "conversiontools", "convertapi", "convertkit",
    "convier", "countrylayer", "coveralls", "craftmypdf", "crowdin", "cryptocompare",
    "currencycloud", "currencylayer", "currencyscoop", "currentsapi", "customerguru", "customerio",
    "d7network", "dandelion", "dareboost", "databox", "databricks", "datadog", "datafire",
    "datagov", "deadmanssnitch", "debounce", "deepai", "deepgram", "deepseek", "delighted", "demio",
    "detectify", "detectlanguage", "dfuse", "diffbot", "digitalocean", "discord", "disqus",
    "dnscheck", "docparser", "documo", "docusign", "doppler", "dotdigital", "dovico", "droneci",
    "dropbox", "duply", "dwolla", "dynalist", "dyspatch", "eagleeye", "easyinsight", "ecostruxure",
    "edamam", "edenai", "eightxeight", "elasticemail", "enablex", "etherscan", "etsy", "eventbrite",
    "everhour", "exchangerate", "facebook", "faceplusplus", "fastforex", "fastly", "feedier",
    "fetchrss", "figma", "fileio", "finage", "financialmodelingprep", "findl", "finicity",
    "finnhub", "fixerio", "flatio", "fleetbase", "flickr", "flightapi", "flightlabs", "flightstats",
    "flutterwave", "fmfw", "formbucket", "formcraft", "formio", "formsite", "foursquare",
    "freshbooks", "freshdesk", "freshworks", "fulcrum", "fullstory", "fxmarket", "geckoboard",
    "gengo", "geoapify", "geocodify", "geocodio", "geoipifi", "getemail", "getgeoapi", "getgist",
    "getresponse", "getsandbox", "giphy", "gitter", "glassnode", "gocanvas", "gocardless",
    "godaddy", "goodday", "grafana", "graphcms", "graphhopper", "groovehq", "guardianapi",
    "gumroad", "gyazo", "hellosign", "helpcrunch", "helpscout", "heroku", "hiveage", "holidayapi",
    "honeycomb", "hubspot", "hunter", "hybiscus", "hypertrack", "iconfinder", "iexapis", "imagekit",
    "imagga", "insightly", "instabot", "instamojo", "intercom", "intrinio", "invoiceocean", "ipapi",
    "ipgeolocation", "ipify", "ipinfo", "ipquality", "ipstack", "jotform", "jumpcloud",
    "jumpseller", "juro", "karma", "keenio", "kickbox", "klaviyo", "klipfolio", "knapsackpro",
    "kontent", "kraken", "kucoin", "kylas", "languagelayer", "larksuite", "launchdarkly",
    "leadfeeder", "lendflow", "lessannoyingcrm", "lexigram", "linenotify", "linkpreview",
    "liveagent", "livestorm", "locationiq", "loggly", "loginradius", "logzio", "lokalise",
    "loyverse", "luno", "madkudu", "mailboxlayer", "mailchimp", "mailerlite", "mailgun", "mailjet",
    "mailmodo", "mailsac", "mandrill", "mapbox", "mapquest", "marketstack", "mattermost",
    "mavenlink", "maxmind", "meaningcloud", "mediastack", "meistertask", "meraki", "mesibo",
    "messagebird", "metaapi", "metrilo", "mindmeister", "mixmax", "mixpanel", "mockaroo", "mongodb",
    "monkeylearn", "moonclerk", "moosend", "mrticktock", "myfreshworks", "myintervals", "nasdaq",
    "neptune", "netcore", "nethunt", "netlify", "neutrino", "newrelic", "newsapi", "newscatcher",
    "nexmo", "nicereply", "nightfall", "nitro", "noticeable", "notion", "nozbe", "numverify",
    "nutritionix", "nylas", "nytimes", "oanda", "okta", "omnisend", "onedesk", "onelogin",
    "onepagecrm", "onesignal", "onwater", "oopspam", "opencagedata", "opengraph", "openuv",
    "openvpn", "openweather", "opsgenie", "optimizely", "owlbot", "owm", "pagerduty", "pandadoc",
    "pandascore", "paralleldots", "parsehub", "parsers", "parseur", "partnerstack", "pastebin",
    "paydirt", "paymo", "paypal", "paystack", "pdflayer", "pdfshift", "peopledatalabs", "pepipost",
    "phonyapi", "pinata", "pipedream", "pipedrive", "pivotaltracker", "pixabay", "plaid",
    "planetscale", "planviewleankit", "plivo", "poloniex", "positionstack", "postageapp",
    "postbacks", "posthog", "postman", "postmark", "powrbot", "prefect", "prodpad", "prospectcrm",
    "protocolsio", "proxycrawl", "pubnub", "purestake", "pushbullet", "pusher", "pyowm", "qase",
    "qualaroo", "qubole", "rapidapi", "rawg", "reallysimplesystems", "rebrandly",
    "rechargepayments", "refiner", "repairshopr", "restpack", "revamp", "ringcentral", "ritekit",
    "roaring", "rocketreach", "ronin", "rootly", "rownd", "runrunit", "runscope", "salesblink",
    "salescookie", "salesflare", "salesforce", "salesmate", "satismeter", "saucelabs", "scaleway",
    "scalr", "scrapeowl", "scraperapi", "scraperbox", "scrapersite", "scrapestack", "scrapfly",
    "scrapingant", "scrapingbee", "scrutinizer", "securitytrails", "selectpdf", "semrush",
    "sendbird", "sendgrid", "sendinblue", "sentry", "serphouse", "serpstack", "sheety",
    "sherpadesk", "shipday", "shippo", "shodan", "shotstack", "shutterstock", "signable",
    "signalwire", "signaturit", "signupgenius", "sigopt", "sigparser", "simfin", "simplesat",
    "simplynoted", "simvoly", "sinch", "sirv", "siteleaf", "skrapp", "skybiometry", "slack",
    "smartsheet", "smooch", "snipcart", "snyk", "solarwinds", "sonar", "sourcegraph", "spectral",
    "splunk", "spoonacular", "sportradar", "sportsmonk", "squarespace", "squareup", "sslmate",
    "stackhawk", "statuscake", "statuspage", "stitchdata", "stockdata", "stormglass", "storyblok",
    "stripe", "stripo", "stytch", "sugester", "sumologic", "supernotes", "surveyanyplace",
    "surveybot", "surveysparrow", "survicate", "swiftype", "tallyfy", "tatum", "taxjar", "teamgate",
    "teamwork", "technicalanalysis", "tefter", "telegram", "teletype", "telnyx", "testingbot",
    "textmagic", "theoddsapi", "thinkific", "thousandeyes", "ticketmaster", "tickettailor",
    "tiingo", "timecamp", "timezoneapi", "tineswebhook", "tmetric", "todoist", "toggl",
    "tomorrowio", "tomtom", "tradier", "transferwise", "travelpayouts", "travisci", "trello",
    "twelvedata", "twilio", "twitch", "twitter", "tyntec", "typeform", "typetalk", "ubidots",
    "uclassify", "unplugg", "unsplash", "upcdatabase", "uplead", "uploadcare", "uptimerobot",
    "upwave", "urlscan", "userflow", "userstack", "vatlayer", "vbout", "vercel", "verimail",
    "veriphone", "versioneye", "viewneo", "virustotal", "visualcrossing", "voicegain", "voodoosms",
    "vouchery", "vpnapi", "vultr", "vyte", "walkscore", "wandb", "weatherbit", "weatherstack",
    "webex", "webflow", "webscraper", "websitepulse", "whoxy", "wistia", "wordsapi", "worksnaps",
    "workstack", "worldcoin", "worldweather", "wrike", "xero", "yandex", "yelp", "youneedabudget",
    "yousign", "zapier", "zendesk", "zenkit", "zenrows", "zenscrape", "zenserp", "zeplin",
    "zerobounce", "zerotier", "zipapi", "zipbooks", "zipcodeapi", "zonka", "zulip",
];

/// Whether `name`, in lower case and without signs, starts with the name of a service.
pub(super) fn names_vendor(name: &str) -> bool {
    let first = usize::from(name.bytes().next().unwrap_or_default());
    let (Some(&start), Some(&end)) = (FIRSTS.get(first), FIRSTS.get(first + 1)) else {
        return false;
    };
    let vendors = VENDORS.get(start..end).unwrap_or_default();
    let after = vendors.partition_point(|vendor| *vendor <= name);
    let last = after.checked_sub(1).and_then(|index| vendors.get(index));
    last.is_some_and(|vendor| name.starts_with(vendor))
}

/// Where in [`VENDORS`] the names with each first byte start.
static FIRSTS: [usize; 257] = {
    let mut firsts = [0; 257];
    let mut index = 0;
    let mut byte = 0;
    while byte < firsts.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated at compile time, within bounds"
        )]
        {
            while index < VENDORS.len() && (VENDORS[index].as_bytes()[0] as usize) < byte {
                index += 1;
            }
            firsts[byte] = index;
        }
        byte += 1;
    }
    firsts
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        for pair in VENDORS.windows(2) {
            assert!(
                pair[0] < pair[1] && !pair[1].starts_with(pair[0]),
                "{pair:?}"
            );
        }
        assert!(names_vendor("mailchimp") && names_vendor("twiliosecret"));
        assert!(!names_vendor("commit") && !names_vendor("") && !names_vendor("zzz"));
    }
}
