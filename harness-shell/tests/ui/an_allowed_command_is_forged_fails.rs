//! The proof that a command may run is made by a policy alone.

use harness_shell::Allowed;

fn main() {
    let _ = Allowed::new;
}
