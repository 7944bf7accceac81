"""A plugin as an author writes it in another language: the same judge, as a process."""

# README begins
import json
import sys


def describe(call):
    metric = {"name": "directness", "tier": 1, "threshold": 0.5}
    return {"protocol": 1, "name": "keeps-to-the-point", "version": "1",
            "metrics": [metric], "verifies": True}


def score(call):
    steps = call["trace"]["spans"]
    failed = sum(step["status"] != "ok" for step in steps)
    return {"scores": [{"metric": "directness", "score": 1 / (1 + failed),
                        "reason": f"{failed} of {len(steps)} steps failed"}]}


def verify(call):
    last = (call["trace"]["spans"] or [{}])[-1]
    answered = last.get("kind") == "LLM" and last["output"] != ""
    return {"score": int(answered), "reason": "whether the agent answered"}


for line in sys.stdin:
    call = json.loads(line)
    answer = {"describe": describe, "score": score, "verify": verify}[call["do"]](call)
    print(json.dumps({"id": call["id"], "answer": answer}), flush=True)
# README ends
