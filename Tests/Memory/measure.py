#!/usr/bin/env python3
"""Measures the memory of a service whose store has one very large save:
python measure.py STELE [OBJECTS] [BEFORE]

It imports the objects in one save into a store of its own, starts the service on it for each of the loads
below, and prints the resident anonymous memory before the load, the most that the load adds, and what is left
of that ten seconds after it. With BEFORE, another program, it does the same with that one. It ends with
status 1 where a load of STELE adds more than 64 MiB, leaves more than 8 MiB, or the page's first view takes
more than 200 KB or twice the time that it takes on an empty store.
"""

import gzip
import http.client
import json
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MODEL = {"name": "Stock", "entities": [{
    "name": "Item",
    "attributes": [{"name": "name", "type": "String"}, {"name": "number", "type": "Integer 64"},
                   {"name": "price", "type": "Double"}, {"name": "note", "type": "String"},
                   {"name": "country", "type": "String"}, {"name": "at", "type": "Date"}]}]}
CLIENTS = 10
# The longest line of an event.
longest = [0]
MOST_ADDED, MOST_LEFT = 64 << 20, 8 << 20
MOST_BYTES = 200_000
WORDS = "amber brook cedar delta ember fjord grove heath inlet jetty knoll ledge marsh north ocean".split()


class Service:
    """A service on a store, and its memory."""

    def __init__(self, program, model, store, rights=None):
        self.process = subprocess.Popen(
            [program, "serve", str(model), "--store", str(store), "--port", "0"]
            + (["--rights", str(rights)] if rights else []),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = next(int(it[1]) for it in (
            re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in self.process.stdout) if it)
        self.peak, self.is_over = 0, False
        self.watch = threading.Thread(target=self.sample, daemon=True)
        self.watch.start()

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) << 10

    def sample(self):
        while not self.is_over:
            self.peak = max(self.peak, self.memory())
            time.sleep(0.005)

    def end(self):
        self.is_over = True
        self.watch.join()
        self.process.terminate()
        self.process.wait()


def get(port, target, headers=None):
    """The status, the headers, the body, and how many bytes came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", target, headers={"Accept-Encoding": "gzip", **(headers or {})})
    answer = connection.getresponse()
    sent = answer.read()
    connection.close()
    is_packed = answer.headers.get("Content-Encoding") == "gzip"
    return answer.status, answer.headers, gzip.decompress(sent) if is_packed else sent, len(sent)


class Stream:
    """An event stream, read a line at a time."""

    def __init__(self, port, target):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.connection.request("GET", target, headers={"Accept": "text/event-stream"})
        self.answer = self.connection.getresponse()
        self.bytes = 0
        self.left = self.read()

    def read(self):
        rest = []
        while True:
            piece = self.answer.read1(1 << 16)
            self.bytes += len(piece)
            lines = piece.split(b"\n")
            if len(lines) == 1 and piece:
                rest.append(piece)
                continue
            yield b"".join(rest) + lines[0]
            yield from lines[1:-1]
            if not piece:
                return
            rest = [lines[-1]]

    def read_until(self, pattern):
        return next((line for line in self.left if re.match(pattern, line)), None)

    def close(self):
        self.answer.close()
        self.connection.close()


def newest(port):
    """The token of the last save: a stream begins with it."""
    stream = Stream(port, "/changes")
    token = stream.read_until(rb"id: ")[4:].decode().strip()
    stream.close()
    return token


# Loads: what clients do, as the service's port and the last save's token tell.

def page_view(port, token):
    """The requests of a first view of the page's feed; the bytes that came, and the seconds."""
    start = time.monotonic()
    stream = Stream(port, "/changes?values=true&changeLimit=100")
    is_old = stream.answer.status == 400
    if is_old:
        stream.close()
        stream = Stream(port, "/changes?values=true")
    stream.read_until(rb"id: ")
    received = stream.bytes
    if is_old:
        _, headers, body, count = get(port, f"/changes?until={token}&limit=100")
        past = Stream(port, "/changes?values=true&since=" + (
            re.search(r"until=([^&>]*)", headers.get("Link") or "until=0>")[1]))
        for _ in range(3 if json.loads(body) else 0):
            past.read_until(rb"data: ")
        received += past.bytes
        past.close()
    else:
        count = get(port, f"/changes?values=true&changeLimit=100&until={token}&limit=50")[3]
    received += count
    stream.close()
    return received, time.monotonic() - start


def follow_pages(port, token):
    """All pages of the history, by their links; how many changes they have."""
    target, found = "/changes?values=true&since=0", 0
    while target:
        status, headers, body, _ = get(port, target)
        if status != 200:
            raise SystemExit(f"{target}: {status} {body[:300]}")
        found += sum(len(save["changes"]) for save in json.loads(body))
        link = re.match(r"<([^>]*)>", headers.get("Link") or "")
        target = link and link[1]
    return found


def follow_stream(port, token):
    """The history as a stream, up to the last save; how many changes it has."""
    stream, found = Stream(port, "/changes?values=true&since=0"), 0
    is_last = False
    for line in stream.left:
        is_last = is_last or line.strip() == b"id: " + token.encode()
        if line.startswith(b"data: "):
            longest[0] = max(longest[0], len(line))
            found += line.count(b'"change":"')
        elif is_last and not line:
            break
    stream.close()
    return found


def export(port, token):
    """All objects as NDJSON."""
    return get(port, "/Item?format=ndjson")[2].count(b"\n")


def in_threads(count, work, *arguments):
    found = []
    threads = [threading.Thread(target=lambda: found.append(work(*arguments))) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def of_changes(work, count=CLIENTS):
    def run(port, token, objects, _):
        found = in_threads(count, work, port, token)
        if found != [objects] * count:
            raise SystemExit(f"{work.__name__} has found {found} of {objects} changes")
    return run


def views(port, token, *_):
    in_threads(CLIENTS, page_view, port, token)


def all_at_once(port, token, *_):
    threads = [threading.Thread(target=work, args=(port, token)) for work in
               [follow_stream] * 4 + [follow_pages] * 3 + [page_view] * 2 + [export]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def beside_an_import(port, token, objects, again):
    """A live query, an editing context and streams, while another program saves as many objects."""
    live = Stream(port, "/Item?where=number<100&sort=number")
    live.read_until(rb"event: snapshot")
    feed = [Stream(port, "/changes?values=true") for _ in range(4)]
    for stream in feed:
        stream.read_until(rb"id: ")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST", "/contexts")
    context = json.loads(connection.getresponse().read())["context"]
    get(port, f"/contexts/{context}/Item?limit=100")
    again()
    number = int(token.rpartition("-")[2]) + 1
    pattern = rb"id: .*-%d$" % number
    in_threads(1, lambda: [stream.read_until(pattern) for stream in feed])
    live.read_until(rb"id: .*-%d$" % number)
    get(port, f"/contexts/{context}/Item?limit=100")
    for stream in feed + [live]:
        stream.close()


# A role that sees what matches a condition, here everything.
RIGHTS = {"roles": {"reader": {"Item": {"read": "number >= 0"}}}, "anonymous": "reader"}
LOADS = [
    ("ten first views of the page's feed", views),
    ("ten JSON readers of all pages", of_changes(follow_pages)),
    ("ten streams from the oldest save", of_changes(follow_stream)),
    ("an export", lambda port, token, *_: export(port, token)),
    ("streams, pages, views and an export", all_at_once),
    # The last one: the store has twice as many objects then.
    ("an import beside streams, a live query and a context", beside_an_import),
]
LOADS_OF_ROLE = [
    ("ten first views, by the rules of a role", views),
    ("ten streams, by the rules of a role", of_changes(follow_stream)),
    ("a JSON reader of all pages, by the rules of a role", of_changes(follow_pages, 1)),
]


def write(path, objects):
    numbers = random.Random(7)
    with path.open("w") as file:
        for number in range(objects):
            file.write(json.dumps({
                "name": " ".join(numbers.choices(WORDS, k=3)), "number": number,
                "price": round(numbers.random() * 900, 2), "note": " ".join(numbers.choices(WORDS, k=12)),
                "country": numbers.choice("CH DE ES FR GB IT".split()),
                "at": f"2026-{numbers.randint(1, 12):02}-{numbers.randint(1, 28):02}T12:00:00Z"}) + "\n")


def mib(count):
    return f"{count / (1 << 20):.1f}"


def measure(program, folder, records, objects):
    """The rows of the table of a program, and its figures of the page."""
    model, empty = folder / "Stock.json", folder / "empty.sqlite"
    store = folder / "stock.sqlite"
    for old in folder.glob("*.sqlite*"):
        old.unlink()

    def load():
        subprocess.run(
            [program, "import", str(model), "--store", str(store), "--again", str(records)], check=True,
            stdout=subprocess.DEVNULL)

    load()
    views_of = []
    for place in [empty, store]:
        service = Service(program, model, place)
        try:
            token = newest(service.port)
            views_of.append([page_view(service.port, token) for _ in range(9)])
        finally:
            service.end()
    rows = []
    longest[0] = 0
    (folder / "rights.json").write_text(json.dumps(RIGHTS))
    for name, work in LOADS_OF_ROLE + LOADS:
        rights = folder / "rights.json" if (name, work) in LOADS_OF_ROLE else None
        service = Service(program, model, store, rights)
        try:
            token = newest(service.port)
            # The service's threads and connections are there.
            in_threads(CLIENTS, lambda: [get(service.port, "/Item?limit=100") for _ in range(20)])
            time.sleep(2)
            before = service.memory()
            service.peak = before
            work(service.port, token, objects, load)
            added = service.peak - before
            end = time.monotonic() + 10
            while service.memory() - before > MOST_LEFT and time.monotonic() < end:
                time.sleep(0.1)
            rows.append((name, before, added, service.memory() - before, 10 - (end - time.monotonic())))
        finally:
            service.end()
    return rows, views_of


def main():
    program = sys.argv[1]
    objects = int(sys.argv[2]) if len(sys.argv) > 2 else 362_891
    programs = [program] + sys.argv[3:4]
    is_good = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Stock.json").write_text(json.dumps(MODEL))
        write(folder / "Item.ndjson", objects)
        for it in reversed(programs):
            rows, (empty, full) = measure(it, folder, folder / "Item.ndjson", objects)
            print(f"\n{it}: one save of {objects:,} objects, MiB of anonymous memory")
            print(f"{'load':55}{'before':>9}{'added':>9}{'left':>9}{'after s':>9}")
            for load, before, added, left, seconds in rows:
                print(f"{load:55}{mib(before):>9}{mib(added):>9}{mib(left):>9}{seconds:>9.1f}")
            times = [statistics.median(time for _, time in views) * 1000 for views in (empty, full)]
            received = max(count for count, _ in full)
            print(f"first view of the feed: {times[1]:.1f} ms, on an empty store {times[0]:.1f} ms; "
                  f"{received:,} bytes over the wire")
            print(f"longest line of an event: {longest[0]:,} bytes", flush=True)
            is_good = (all(added <= MOST_ADDED and left <= MOST_LEFT for _, _, added, left, _ in rows)
                       and received <= MOST_BYTES and times[1] <= 2 * times[0]
                       and longest[0] <= 256 << 10)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
