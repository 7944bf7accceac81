//! A process reads, reaches and sees what its needs declare, and nothing else.

use std::net::TcpListener;

use harness_plugin::ProcessError;

use crate::library::Folder;
use crate::program::{Told, misbehaving, program, start};

#[tokio::test]
async fn it_reads_and_writes_what_it_is_given() {
    let (folder, other) = (Folder::new(), Folder::new());
    let [secret, granted] = ["secret", "granted"].map(|name| other.put(name, b"x"));
    for name in ["", "secret", "granted"] {
        other.mode(name, 0o777);
    }
    let mut needy = program(&folder, &misbehaving(), "");
    needy.needs.reads.push(granted.clone());
    let told = Told::start(needy).await;
    let tries = async |what: &str, path: &std::path::Path| {
        let request = format!("{what}: {}", path.display());
        told.told(&request).await.unwrap()
    };
    let inside = folder.path("new");
    assert_eq!(tries("reads", &secret).await, "PermissionError");
    assert_eq!(tries("writes", &secret).await, "PermissionError");
    assert_eq!(tries("reads", &granted).await, "could");
    assert_eq!(tries("writes", &granted).await, "PermissionError");
    assert_eq!(tries("writes", &inside).await, "could");
    assert_eq!(tries("reads", &inside).await, "could");
    assert_eq!(std::fs::read(secret).unwrap(), b"x");
}

#[tokio::test]
async fn it_reaches_the_port_that_it_declares() {
    let folder = Folder::new();
    let listen = || TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let (declared, other) = (listen(), listen());
    let mut needy = program(&folder, &misbehaving(), "");
    needy.needs.network.tcp_ports = vec![port(&declared)];
    let told = Told::start(needy).await;
    let tries = async |port| told.told(&format!("connects: {port}")).await.unwrap();
    assert_eq!(tries(port(&declared)).await, "could");
    assert_eq!(tries(port(&other)).await, "PermissionError");
}

#[tokio::test]
async fn it_sees_the_variables_that_it_declares() {
    let folder = Folder::new();
    let mut needy = program(&folder, &misbehaving(), "");
    needy.needs.environment = vec!["SERVICE_KEY".to_owned()];
    let told = Told::start(needy).await;
    let seen = told.told("sees").await.unwrap();
    // Python adds what it decides of the language by itself.
    let seen: Vec<&str> = seen.split(' ').filter(|name| *name != "LC_CTYPE").collect();
    assert_eq!(seen, ["HOME", "PATH", "SERVICE_KEY", "TERM", "TMPDIR"]);
    let mut greedy = program(&folder, &misbehaving(), "");
    greedy.needs.environment = vec!["LD_PRELOAD".to_owned()];
    assert!(matches!(start(greedy).await, Err(ProcessError::Needs(_))));
}
