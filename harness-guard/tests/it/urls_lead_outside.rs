//! A URL is fetched only if every address behind it is of the public network.

use std::net::SocketAddr;

use harness_guard::{Resolver, UrlDenial, check_spelling, check_url};
use serde_json::json;

use crate::world::{Names, World, call, ctx, error_of};

#[test]
fn each_spelling_of_a_private_address_is_that_address() {
    for (bad, good) in [
        ("http://127.0.0.1/", "http://128.0.0.1/"),
        ("http://127.1/", "http://128.1/"),
        ("http://2130706433/", "http://134744072/"),
        ("http://0x7f000001/", "http://0x08080808/"),
        ("http://0x7f.1/", "http://0x8.8.8.8/"),
        ("http://0177.0.0.1/", "http://010.8.8.8/"),
        ("http://127.0.0.1./", "http://8.8.8.8./"),
        ("http://１２７.０.０.１/", "http://８.８.８.８/"),
        ("http://①②⑦.⓪.⓪.①/", "http://⑧.⑧.⑧.⑧/"),
        ("http://127。0。0。1/", "http://8。8。8。8/"),
        ("http://%31%32%37.0.0.1/", "http://%38.8.8.8/"),
        ("http://[::1]/", "http://[2606:4700::1]/"),
        ("http://[::ffff:7f00:1]/", "http://[::ffff:808:808]/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:8.8.8.8]/"),
        ("http://[64:ff9b::a00:1]/", "http://[64:ff9b::808:808]/"),
        ("http://user@127.0.0.1/", "http://127.0.0.1@example.org/"),
        (
            "http://example.org\\@127.0.0.1/x",
            "http://127.0.0.1:x@example.org/",
        ),
        (
            "http://example.org#@127.0.0.1/",
            "https://example.org/?u=http://127.0.0.1/",
        ),
        ("\thttp://127.0.0.1/", "\thttp://8.8.8.8/"),
        ("http:/\t/127.0.0.1", "http:/\t/8.8.8.8"),
        ("http:127.0.0.1", "http:8.8.8.8"),
        ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "http://ⓔxample.org/"),
        ("http://LOCALHOST:8080/", "http://LOCALHOST.example.org/"),
        (
            "http://metadata.google.internal./",
            "http://google.example.org./",
        ),
    ] {
        // The backslash ends the host, so what follows is a path: the twin is the host itself.
        if bad.contains('\\') || bad.contains('#') {
            assert_eq!(check_spelling(bad), Ok(()), "{bad}");
        } else {
            assert!(check_spelling(bad).is_err(), "{bad}");
        }
        assert_eq!(check_spelling(good), Ok(()), "{good}");
    }
}

#[test]
fn only_pages_of_the_web() {
    for (bad, denial) in [
        ("file:///etc/passwd", UrlDenial::Scheme),
        ("gopher://example.org/", UrlDenial::Scheme),
        ("ftp://example.org/", UrlDenial::Scheme),
        ("javascript:alert(1)", UrlDenial::Scheme),
        ("data:text/plain,x", UrlDenial::Scheme),
        ("unix:/run/docker.sock", UrlDenial::Scheme),
        ("/etc/passwd", UrlDenial::Unreadable),
        ("http://", UrlDenial::Unreadable),
        ("http://256.1.1.1/", UrlDenial::Unreadable),
        ("http://a b/", UrlDenial::Unreadable),
        ("", UrlDenial::Unreadable),
    ] {
        assert_eq!(check_spelling(bad), Err(denial), "{bad}");
    }
    let long = format!("http://example.org/{}", "a".repeat(4096));
    assert_eq!(check_spelling(&long), Err(UrlDenial::TooLong));
    assert_eq!(check_spelling("https://example.org/"), Ok(()));
}

#[tokio::test]
async fn every_address_of_a_name_counts_and_failure_denies() {
    let names = Names::of(&[
        ("public.test", &["8.8.8.8", "2606:4700::1"]),
        ("mixed.test", &["8.8.8.8", "10.0.0.1"]),
        ("private.test", &["192.168.0.7"]),
        ("mapped.test", &["::ffff:127.0.0.1"]),
        ("empty.test", &[]),
    ]);
    let checked = |name: &str| {
        let url = format!("http://{name}/");
        let names = names.clone();
        async move { check_url(&url, &*names).await.map(drop) }
    };
    assert_eq!(checked("public.test").await, Ok(()));
    for (name, denial) in [
        ("mixed.test", UrlDenial::Private),
        ("private.test", UrlDenial::Private),
        ("mapped.test", UrlDenial::Loopback),
        ("empty.test", UrlDenial::Unresolved),
        ("unknown.test", UrlDenial::Unresolved),
    ] {
        assert_eq!(checked(name).await, Err(denial), "{name}");
    }
    let many: Vec<String> = (1..=65).map(|n| format!("8.8.8.{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let names = Names::of(&[("many.test", &many), ("few.test", &many[..64])]);
    let denied = check_url("http://many.test/", &*names).await;
    assert_eq!(denied.unwrap_err(), UrlDenial::TooManyAddresses);
    assert!(check_url("http://few.test/", &*names).await.is_ok());
}

#[tokio::test]
async fn the_decision_carries_the_address_to_connect_to() {
    let names = Names::of(&[("public.test", &["8.8.8.8", "2606:4700::1"])]);
    let url = check_url("HTTPS://Public.TEST:8443/a/../b?c#d", &*names)
        .await
        .unwrap();
    let addresses: Vec<SocketAddr> = url.connect_to().collect();
    let expected: Vec<SocketAddr> = ["8.8.8.8:8443", "[2606:4700::1]:8443"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    assert_eq!(addresses, expected);
    assert_eq!(url.host(), "public.test");
    assert_eq!(url.as_str(), "https://public.test:8443/b?c#d");
}

#[tokio::test]
async fn a_redirect_is_checked_like_a_url() {
    let names = Names::of(&[
        ("a.test", &["8.8.8.8"]),
        ("b.test", &["8.8.4.4"]),
        ("inner.test", &["10.0.0.1"]),
    ]);
    let resolver: &dyn Resolver = &*names;
    let start = check_url("https://a.test/x/y", resolver).await.unwrap();
    for (location, denial) in [
        ("http://169.254.169.254/latest", UrlDenial::Metadata),
        ("//127.0.0.1/", UrlDenial::Loopback),
        ("https://inner.test/", UrlDenial::Private),
        ("https://unknown.test/", UrlDenial::Unresolved),
        ("file:///etc/passwd", UrlDenial::Scheme),
        ("http://b.test/", UrlDenial::Downgrade),
        ("https://[", UrlDenial::Unreadable),
    ] {
        assert_eq!(
            start.redirect(location, resolver).await.unwrap_err(),
            denial,
            "{location}"
        );
    }
    let next = start.redirect("../z", resolver).await.unwrap();
    assert_eq!(next.as_str(), "https://a.test/z");
    let next = next.redirect("https://b.test/", resolver).await.unwrap();
    let address = next.connect_to().next().unwrap();
    assert_eq!(address, "8.8.4.4:443".parse().unwrap());

    let mut url = start;
    for _ in 0..harness_guard::MAX_REDIRECTS {
        url = url.redirect("/again", resolver).await.unwrap();
    }
    assert_eq!(
        url.redirect("/again", resolver).await.unwrap_err(),
        UrlDenial::TooManyRedirects
    );
}

#[tokio::test]
async fn a_tool_is_handed_the_checked_url() {
    let world = World::new();
    let guard = world.guard().await;
    let fetch = |url: &str| call("webfetch", json!({ "url": url }));
    for bad in [
        "http://127.0.0.1/",
        "http://unknown.test/",
        "ftp://example.org/",
    ] {
        let outcome = guard.call(&ctx(), fetch(bad)).await;
        assert_eq!(error_of(&outcome), "url_denied", "{bad}");
    }
    assert_eq!(world.runs(), 0);
    let outcome = guard.call(&ctx(), fetch("http://example.org/")).await;
    assert!(outcome.refusal().is_none(), "{outcome:?}");
}
