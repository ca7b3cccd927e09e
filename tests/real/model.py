"""The scripted model: how a scenario writes down what the model says, and the loopback server that plays it to the client.

A script is a list of turns, taken in order. Routes are further lists for other conversations (subagents, a second pane, a
nested client), chosen by a word in the conversation's first user message. A Gate holds the answer until the scenario
releases it, so that a state lasts as long as it is being looked at, whatever the load of the machine.
"""
import json
import re
import threading
import time
import uuid
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Optional

GATE_LIMIT_S = 60
COMPACTION_WORDS = ("summary of the conversation", "detailed summary")


@dataclass(frozen=True)
class Gate:
    """A place in an answer where the model waits for `Model.release(name)`."""
    name: str


@dataclass(frozen=True)
class Tool:
    name: str
    input: dict


@dataclass(frozen=True)
class Refusal:
    """An HTTP error in place of an answer."""
    status: int
    kind: str
    message: str


@dataclass(frozen=True)
class Turn:
    """One answer: texts, tools and gates in the order they are streamed. `gate` holds back even the first byte."""
    blocks: tuple = ()
    gate: Optional[str] = None
    word_delay_s: float = 0.0
    think_s: float = 0.0  # before the first byte of the answer
    refusal: Optional[Refusal] = None


def text(*blocks, **options):
    return Turn(blocks=blocks, **options)


def tools(*calls, **options):
    return Turn(blocks=tuple(Tool(name, given) for name, given in calls), **options)


def bash(command, gate=None, **given):
    return tools(("Bash", {"command": command, "description": "scripted command", **given}), gate=gate)


def agent(description, prompt):
    """A call for `tools`: one subagent whose route is found by a word of `prompt`."""
    return ("Agent", {"description": description, "prompt": prompt, "subagent_type": "general-purpose"})


def refusal(status, kind, message):
    return Turn(refusal=Refusal(status, kind, message))


def words(count):
    """A long text whose words can be waited for on the screen: w0 w1 w2 …"""
    return " ".join(f"w{i}" + ("\n" if i % 12 == 11 else "") for i in range(count))


class Model:
    """Serves one script on a loopback port of its own until `close`."""

    def __init__(self, turns, routes=None, compaction=None, log_path=None):
        self.script = {"main": list(turns), **(routes or {})}
        self.compaction = compaction or text("<analysis>none</analysis>\n<summary>Nothing is pending.</summary>")
        self.log_path = log_path
        self.requests = []
        self._taken = {}
        self._gates = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def release(self, gate):
        released_at = time.time()
        self._gate(gate).set()
        return released_at

    def count(self, route):
        """How many requests of this route have arrived."""
        return sum(1 for request in self.requests if request["route"] == route)

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def hold(self, gate):
        self._gate(gate).wait(GATE_LIMIT_S)

    def take(self, body):
        """The turn that answers this request; what the client asks beside the conversation takes none from the script."""
        route = self._route_of(body)
        with self._lock:
            self._log(route, body)
            if route == "compaction":
                return self.compaction
            if route == "side":
                return text(_side_answer(body))
            number = self._taken.get(route, 0)
            self._taken[route] = number + 1
        turns = self.script[route]
        return turns[number] if number < len(turns) else text("(the script is over)")

    def _route_of(self, body):
        last = _last_user_text(body)
        if any(words_ in last for words_ in COMPACTION_WORDS):
            return "compaction"
        if not body.get("tools"):
            return "side"
        first = _first_user_text(body)
        return next((name for name in self.script if name != "main" and name in first), "main")

    def _gate(self, name):
        with self._lock:
            return self._gates.setdefault(name, threading.Event())

    def _log(self, route, body):
        record = {"at": time.time(), "route": route, "messages": len(body.get("messages") or []),
                  "last_user": _last_user_text(body)[-300:]}
        self.requests.append(record)
        if self.log_path:
            with open(self.log_path, "a", encoding="utf-8") as log:
                log.write(json.dumps(record, ensure_ascii=False) + "\n")


def _first_user_text(body):
    return next((_plain(m.get("content")) for m in body.get("messages", []) if m.get("role") == "user"), "")


def _last_user_text(body):
    return next((_plain(m.get("content")) for m in reversed(body.get("messages", [])) if m.get("role") == "user"), "")


def _plain(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text") or _plain(block.get("content") or "") for block in content or [])


def _side_answer(body):
    wanted = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    schema = wanted.get("schema") if isinstance(wanted, dict) else None
    return json.dumps(_sample(schema)) if schema else "Scripted session"


def _sample(schema):
    """The smallest value that fits a JSON schema."""
    if "const" in schema or "enum" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        return {key: _sample(value) for key, value in schema.get("properties", {}).items()}
    return {"array": [], "boolean": False, "number": 0, "integer": 0}.get(kind, "Scripted session")


def _handler_of(model):
    class Handler(_Handler):
        script = model
    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._json(200, {})

    def do_GET(self):
        self._not_found()

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self._json(200, {"input_tokens": max(1, len(raw) // 4)})
        if not path.endswith("/messages"):
            return self._not_found()
        body = json.loads(raw)
        turn = self.script.take(body)
        try:
            self._answer(body, turn)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # an interrupted client hangs up: that is what half of the scenarios are about

    def _not_found(self):
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "not scripted"}})

    def _json(self, status, value, headers=()):
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, content in (("content-type", "application/json"), ("content-length", str(len(data))), *headers):
            self.send_header(name, content)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _answer(self, body, turn):
        if turn.gate:
            self.script.hold(turn.gate)
        time.sleep(turn.think_s)
        if turn.refusal:
            error = {"type": turn.refusal.kind, "message": turn.refusal.message}
            return self._json(turn.refusal.status, {"type": "error", "error": error}, [("x-should-retry", "false")])
        content = [block for block in map(_content_block, turn.blocks) if block]
        stop = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        message = {"id": "msg_" + uuid.uuid4().hex[:20], "type": "message", "role": "assistant", "model": body.get("model"),
                   "stop_sequence": None}
        if not body.get("stream"):
            return self._json(200, {**message, "content": content, "stop_reason": stop, "usage": _usage(20)})
        return self._stream(turn, message, stop)

    def _stream(self, turn, message, stop):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        self._event("message_start", message={**message, "content": [], "stop_reason": None, "usage": _usage(1)})
        index = 0
        for block in turn.blocks:
            if isinstance(block, Gate):
                self.script.hold(block.name)
                continue
            self._stream_block(index, _content_block(block), turn.word_delay_s)
            index += 1
        self._event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 20})
        self._event("message_stop")

    def _stream_block(self, index, block, word_delay_s):
        if block["type"] == "text":
            self._event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for part in re.findall(r"\S+\s*|\s+", block["text"]):
                self._event("content_block_delta", index=index, delta={"type": "text_delta", "text": part})
                time.sleep(word_delay_s)
        else:
            self._event("content_block_start", index=index, content_block={**block, "input": {}})
            given = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            self._event("content_block_delta", index=index, delta=given)
        self._event("content_block_stop", index=index)

    def _event(self, kind, **fields):
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())
        self.wfile.flush()


def _content_block(block):
    if isinstance(block, Tool):
        return {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:20], "name": block.name, "input": block.input}
    if isinstance(block, Gate):
        return None
    return {"type": "text", "text": block}


def _usage(output_tokens):
    return {"input_tokens": 1200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": output_tokens}
