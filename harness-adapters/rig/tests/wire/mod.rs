//! A server on loopback that answers as providers of models do. The shapes are written here.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "the tests and the example share it, and neither uses all of it"
)]

mod format;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

pub use format::{Format, Said, call, calls, says};

/// Connections that are taken up; no test makes as many.
const MAX_CONNECTIONS: usize = 512;
/// How long a connection may be silent before it is given up.
const PATIENCE: Duration = Duration::from_secs(600);
/// Bytes of a request that are read.
const MAX_REQUEST: u64 = 4 << 20;
/// Bytes of a body that is too long for the client.
const TOO_LONG: usize = 6 << 20;

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Heard {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What a request is answered with.
#[derive(Clone, Debug)]
pub enum Line {
    /// A success with this body.
    Body(String),
    /// A status, one header more, and a body.
    Status(u16, (&'static str, String), &'static str),
    /// The head and half of the body, and then the end.
    Cut(String),
    /// The head and half of the body, and then nothing.
    Slow(String),
    /// More than a client reads.
    TooLong,
}

impl Line {
    pub fn status(status: u16) -> Self {
        Self::Status(status, ("x-nothing", "1".to_owned()), "{}")
    }
}

/// A server that ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
    stopped: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that answers each request as `script` says.
    pub fn start(script: impl FnMut(&Heard) -> Line + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let script = Arc::new(Mutex::new(script));
        let listening = {
            let (heard, stopped) = (Arc::clone(&heard), Arc::clone(&stopped));
            std::thread::spawn(move || {
                for stream in listener.incoming().take(MAX_CONNECTIONS).flatten() {
                    if stopped.load(Ordering::Acquire) {
                        return;
                    }
                    let (heard, script) = (Arc::clone(&heard), Arc::clone(&script));
                    std::thread::spawn(move || {
                        // A client that goes away is no failure of the server's.
                        let _ = serve(&stream, &heard, &mut |request| {
                            (script.lock().expect("no script panics"))(request)
                        });
                    });
                }
            })
        };
        Self {
            address,
            heard,
            stopped,
            listening: Some(listening),
        }
    }

    /// A server that answers with these lines, one a request, and the last for ever.
    pub fn saying(lines: Vec<Line>) -> Self {
        let mut lines = lines.into_iter().peekable();
        let mut last = Line::status(404);
        Self::start(move |_| {
            last = lines.next().unwrap_or_else(|| last.clone());
            last.clone()
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("nobody panics").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn serve(
    mut stream: &TcpStream,
    heard: &Mutex<Vec<Heard>>,
    script: &mut dyn FnMut(&Heard) -> Line,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream).take(MAX_REQUEST);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        match header.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length
        .and_then(|(_, length)| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length.min(1 << 20)];
    reader.read_exact(&mut body)?;
    let request = Heard {
        line: line.trim_end().to_owned(),
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    let answer = script(&request);
    heard.lock().expect("nobody panics").push(request);
    match answer {
        Line::Body(body) => stream.write_all(whole(200, "", &body).as_bytes()),
        Line::Status(status, (name, value), body) => {
            stream.write_all(whole(status, &format!("{name}: {value}\r\n"), body).as_bytes())
        }
        Line::Cut(body) => half(stream, &body),
        Line::Slow(body) => {
            half(stream, &body)?;
            // Until the client gives up.
            std::io::copy(&mut &*stream, &mut std::io::sink()).map(drop)
        }
        Line::TooLong => stream.write_all(whole(200, "", &" ".repeat(TOO_LONG)).as_bytes()),
    }
}

fn whole(status: u16, header: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n{header}\r\n{body}",
        body.len()
    )
}

fn half(mut stream: &TcpStream, body: &str) -> std::io::Result<()> {
    let answer = whole(200, "", body);
    stream.write_all(&answer.as_bytes()[..answer.len() - body.len() / 2])
}
