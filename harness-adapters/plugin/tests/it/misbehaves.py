"""A plugin that does what a trace's request says, however bad. Every loop and flood is counted."""

import json
import os
import sys
import time

MANNER = sys.argv[1] if len(sys.argv) > 1 else ""


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(number, answer):
    say(json.dumps({"id": number, "answer": answer}) + "\n")


def starts():
    """How often it has been started in this folder."""
    with open("starts", "a+") as file:
        file.write("x")
        file.seek(0)
        return len(file.read())


def describe(number):
    if MANNER == "ends at once":
        sys.stderr.write("no \x1b[31mkey")
        sys.stderr.flush()
        os._exit(7)
    if MANNER == "is silent":
        time.sleep(1000)
    times = starts()
    name = f"start {times}" if MANNER == "changes" else "misbehaves"
    answer(number, {
        "protocol": 2 if MANNER == "another version" else 1,
        "name": name, "version": "1", "verifies": True, "repairs": True, "replays": True,
        "metrics": MANNER if MANNER == "no metrics"
        else [{"name": "badness", "tier": 1, "threshold": 0.5}],
    })


def tries(act):
    try:
        act()
        return "could"
    except Exception as error:
        return type(error).__name__


def connects(port):
    import socket
    socket.create_connection(("127.0.0.1", port), 10).close()


def score(number, request):
    def scored(value, reason):
        answer(number, {"scores": [{"metric": "badness", "score": value, "reason": reason}]})

    what, _, rest = request.partition(": ")
    if what == "garbage":
        say("}{\n")
    elif what == "no object":
        say("[1]\n")
    elif what == "both":
        say(json.dumps({"id": number, "answer": {}, "error": "no"}) + "\n")
    elif what == "no end of line":
        for _ in range(32):
            say("x" * (1 << 16))
    elif what == "flood of lines":
        for _ in range(1 << 14):
            say("{}\n" * 64)
    elif what == "another id":
        answer(number + 1, {"scores": []})
    elif what == "no id":
        say('{"answer": {"scores": []}}\n')
    elif what == "asks back":
        say(json.dumps({"id": number, "tool": {"name": "harness_rules_list"}}) + "\n")
    elif what == "crash":
        sys.stderr.write("it \x1b[31mbroke ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
        sys.stderr.flush()
        os._exit(3)
    elif what == "closes its output":
        os.close(1)
        time.sleep(1000)
    elif what == "leaves one and crashes":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", rest])
            os._exit(0)
        os.wait()
        os._exit(3)
    elif what == "leaves one and hangs":
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", rest])
        time.sleep(1000)
    elif what == "out of range":
        scored(7, "so")
    elif what == "undeclared":
        answer(number, {"scores": [{"metric": "another", "score": 1}]})
    elif what == "cannot":
        say(json.dumps({"id": number, "error": "it\x1b[31m cannot"}) + "\n")
    elif what == "complains":
        for _ in range(64):
            sys.stderr.write("x" * (1 << 16))
        scored(0.5, "so")
    elif what == "whispers":
        scored(0.5, "a\x1b[31mb ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    elif what == "answers twice":
        scored(0.5, "so")
        scored(0.5, "so")
    elif what == "reads":
        scored(0.5, tries(lambda: open(rest).read()))
    elif what == "writes":
        scored(0.5, tries(lambda: open(rest, "a").write("x")))
    elif what == "connects":
        scored(0.5, tries(lambda: connects(int(rest))))
    elif what == "sees":
        scored(0.5, " ".join(sorted(os.environ)))
    else:
        scored(0.5, f"process {os.getpid()}")


def ask(number, what):
    say(json.dumps({"id": number, **what}) + "\n")
    result = json.loads(sys.stdin.readline())
    assert result["id"] == number, result
    return result["result"]


def replay(number, call):
    kind = call["case"]["replay_input"]
    if kind == "calls back for ever":
        for _ in range(1 << 16):
            ask(number, {"tool": {"name": "harness_rules_list", "arguments": {}}})
    if kind == "reports nonsense":
        ask(number, {"turn": {"session": "../x", "spans": []}})
    if kind == "crashes":
        os._exit(3)
    found = ask(number, {"tool": {"name": "harness_rules_search", "arguments": {"query": "file"}}})
    assert found["ok"], found
    refused = ask(number, {"tool": {"name": "harness_rule_add", "arguments": {"rule": "mine"}}})
    assert not refused["ok"], refused
    session = f"run-{os.getpid()}-{number}"
    assert ask(number, {"turn": {"session": session, "request": "Sum up.", "spans": [
        {"kind": "TOOL", "name": "read_file", "arguments": {"path": "a.txt"}, "output": "12"},
        {"kind": "LLM", "name": "m", "output": "The sum is 12.", "tokens": 7},
    ]}}) == {"ok": True}
    answer(number, {"session": session, "seed": call["seed"]})


for line in sys.stdin:
    call = json.loads(line)
    do = call["do"]
    if do == "describe":
        describe(call["id"])
    elif do == "score":
        score(call["id"], call["trace"]["request"])
    elif do == "verify":
        answer(call["id"], {"score": 1, "reason": call["turn"]["session"]})
    elif do == "reply":
        assert call["tools"] and call["prompt"], call
        answer(call["id"], {"text": "", "output_tokens": 9, "calls": [
            {"id": "1", "name": "harness_notice_resolve", "arguments": {"kind": "no_proposal"}}]})
    elif do == "environment":
        answer(call["id"], {"state": "clean"})
    elif do == "replay":
        replay(call["id"], call)
    else:
        say(json.dumps({"id": call["id"], "error": "it knows no such call"}) + "\n")
