#!/usr/bin/env python3
"""Measures what clients get beside others that ask for too much: python measure.py STELE [SECONDS]

It starts the service with a store of its own, and prints the 99th percentile of each operation alone and
beside each attack, and their quotient. The operations are a get by id, a plain list, a write, the readiness,
and the delivery of a save to a subscriber of the feed. Attacks and operations are processes of their own.
"""

import http.client
import json
import multiprocessing
import random
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

PEOPLE = 5_000
MODEL = {"name": "People", "entities": [{
    "name": "Person",
    "attributes": [{"name": "name", "type": "String"}, {"name": "number", "type": "Integer 64"}],
    "relationships": [
        {"name": "friends", "destination": "Person", "inverse": "friendOf", "toMany": True},
        {"name": "friendOf", "destination": "Person", "inverse": "friends", "toMany": True}],
}]}
# Eight steps of ten members each, none of which fulfils it. The comparison with the object itself keeps
# a store from beginning at the other end.
HEAVY = "/Person?where=" + quote("ANY " + "friends." * 8 + "number > number + 5000")
# It takes the time limit of a text on a slow name, and no time on others.
MATCHES = quote('name MATCHES "(a+)+b"')
SLOW_NAME = "a" * 40


def connect(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask(connection, method, target, body=None):
    head = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, target, body and json.dumps(body), head)
    answer = connection.getresponse()
    return answer.status, answer.read()


def stream(port, target):
    """An open event stream, whose answer is not read yet."""
    it = socket.create_connection(("127.0.0.1", port), timeout=120)
    it.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".encode())
    return it


# Attacks: each runs until it is killed.

def heavy_queries(port):
    """16 clients repeat one query of eight to-many steps."""
    def run():
        connection = connect(port)
        while True:
            ask(connection, "GET", HEAVY)
    in_threads(16, run)


def gone_clients(port):
    """16 clients repeat it, and close their connections after 50 ms."""
    def run():
        while True:
            with socket.create_connection(("127.0.0.1", port)) as it:
                it.sendall(f"GET {HEAVY} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                time.sleep(0.05)
    in_threads(16, run)


def slow_filters(port):
    """100 subscribers of the feed whose `where` takes the time limit, for ten saves a second."""
    threading.Thread(target=save_slow_names, args=(port,), daemon=True).start()
    read_all(port, [f"/changes?entity=Person&where={MATCHES}"] * 100)


def slow_live_queries(port):
    """100 live queries with such a `where`."""
    threading.Thread(target=save_slow_names, args=(port,), daemon=True).start()
    read_all(port, [f"/Person?where={MATCHES}%20AND%20number%20%3E%20{it}" for it in range(100)])


def idle_connections(port):
    """2,000 clients that send a header line now and then, and 1,000 idle streams."""
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(2000)]
    for it in slow:
        it.sendall(b"GET /Person/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    streams = [stream(port, "/changes?entity=Person&where=" + quote("number < 0")) for _ in range(1000)]
    while streams:
        for it in list(slow):
            try:
                it.sendall(b"X: 1\r\n")
            except OSError:
                slow.remove(it)
                slow.append(socket.create_connection(("127.0.0.1", port)))
                slow[-1].sendall(b"GET /Person/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        time.sleep(1)


ATTACKS = [heavy_queries, gone_clients, slow_filters, slow_live_queries, idle_connections]


def save_slow_names(port):
    """Gives a person a slow name and takes it away again, ten times a second."""
    time.sleep(1)
    connection = connect(port)
    while True:
        for name in (SLOW_NAME, "a person"):
            ask(connection, "PATCH", "/Person/1", {"name": name})
            time.sleep(0.05)


def in_threads(count, run):
    def go_on():
        while True:
            try:
                run()
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
    for _ in range(count):
        threading.Thread(target=go_on, daemon=True).start()
    threading.Event().wait()


def read_all(port, targets):
    """Reads what streams send, and opens those again that the service ends."""
    selector = selectors.DefaultSelector()
    begun = set()

    def begin(target):
        selector.register(stream(port, target), selectors.EVENT_READ, target)

    for target in targets:
        begin(target)
    while True:
        for key, _ in selector.select():
            try:
                data = key.fileobj.recv(1 << 16)
            except OSError:
                data = b""
            if data and key.fileobj not in begun:
                begun.add(key.fileobj)
                # Busy, or a first list that has met a slow name: it comes back.
                if not data.startswith(b"HTTP/1.1 200"):
                    time.sleep(0.1)
                    data = b""
            if not data:
                begun.discard(key.fileobj)
                selector.unregister(key.fileobj)
                key.fileobj.close()
                time.sleep(0.01)
                begin(key.data)


# Operations: each gives the milliseconds of many requests.

def repeat(port, seconds, send, pause=0.001):
    connection = connect(port)
    times = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.perf_counter()
        status, body = send(connection)
        times.append(1000 * (time.perf_counter() - start))
        assert status < 300, (status, body[:200])
        time.sleep(pause)
    return times


def get(port, seconds):
    return repeat(port, seconds, lambda it: ask(it, "GET", f"/Person/{random.randint(1, PEOPLE)}"))


def plain_list(port, seconds):
    return repeat(port, seconds, lambda it: ask(
        it, "GET", f"/Person?where=number%20%3E%20{random.randint(1, 4000)}&sort=number&limit=50"))


def write(port, seconds):
    return repeat(port, seconds, lambda it: ask(
        it, "PATCH", f"/Person/{random.randint(1, PEOPLE)}",
        {"name": f"person {random.random()}"}), pause=0.01)


def readiness(port, seconds):
    return repeat(port, seconds, lambda it: ask(it, "GET", "/readyz"))


def delivery(port, seconds):
    """From sending a save to its event, which another thread receives."""
    feed = connect(port)
    feed.request("GET", "/changes?entity=Person&values=true", headers={"Accept": "text/event-stream"})
    events = feed.getresponse()
    sent, times = {}, []

    def listen():
        # Not from the socket: the end of a chunk may be in the middle of a line.
        for line in events:
            for mark in re.findall(rb"mark (\d+)", line):
                start = sent.pop(int(mark), None)
                if start:
                    times.append(1000 * (time.perf_counter() - start))
    threading.Thread(target=listen, daemon=True).start()
    connection = connect(port)
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        sent[number] = time.perf_counter()
        status, body = ask(connection, "PATCH", f"/Person/{random.randint(1, PEOPLE)}",
                           {"name": f"mark {number}"})
        assert status == 200, (status, body[:200])
        time.sleep(0.01)
    for _ in range(100):
        if sent:
            time.sleep(0.1)
    assert not sent, f"{len(sent)} of {number} saves were not told"
    return times


OPERATIONS = [get, plain_list, write, readiness, delivery]


def measured(operation, port, seconds):
    with multiprocessing.Pool(1) as pool:
        times = sorted(pool.apply(operation, (port, seconds)))
    return times[int(0.99 * len(times))], len(times)


def fill(port):
    connection = connect(port)
    people = [{"name": f"person {it}", "number": it} for it in range(1, PEOPLE + 1)]
    for start in range(0, PEOPLE, 1000):
        assert ask(connection, "POST", "/Person", people[start:start + 1000])[0] == 201
    for start in range(1, PEOPLE + 1, 1000):
        changes = [{"op": "update", "object": f"Person/{it}", "values": {
            "friends": random.sample(range(1, PEOPLE + 1), 10)}}
            for it in range(start, start + 1000)]
        status, body = ask(connection, "POST", "/transactions", changes)
        assert status == 200, body[:300]


def main(stele, seconds=5):
    multiprocessing.set_start_method("fork")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "People.json"
        model.write_text(json.dumps(MODEL))
        service = subprocess.Popen(
            [stele, "serve", str(model), "--store", f"{folder}/people.sqlite", "--port", "0",
             "--connections", "8000"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = next(int(it[1]) for it in (
                re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in service.stdout) if it)
            fill(port)
            alone = {it: measured(it, port, 2 * seconds) for it in OPERATIONS}
            print("99th percentile in ms, alone:", ", ".join(
                f"{it.__name__} {alone[it][0]:.2f} of {alone[it][1]}" for it in OPERATIONS), flush=True)
            for attack in ATTACKS:
                attacker = multiprocessing.Process(target=attack, args=(port,), daemon=True)
                attacker.start()
                time.sleep(3)
                parts = []
                for operation in OPERATIONS:
                    beside, _ = measured(operation, port, seconds)
                    parts.append(f"{operation.__name__} {beside:.2f} ({beside / alone[operation][0]:.2f})")
                print(f"{attack.__name__}: {', '.join(parts)}", flush=True)
                assert attacker.is_alive(), f"{attack.__name__} has ended"
                attacker.kill()
                attacker.join()
                time.sleep(3)
        finally:
            start = time.monotonic()
            service.terminate()
            service.wait(60)
            print(f"ended {time.monotonic() - start:.1f} s after SIGTERM")


if __name__ == "__main__":
    main(sys.argv[1], *[float(it) for it in sys.argv[2:]])
