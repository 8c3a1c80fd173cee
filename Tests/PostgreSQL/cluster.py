#!/usr/bin/env python3
"""Three nodes, a database with a standby, and faults.

Each node and each server is in a network namespace of its own. Writers save objects with
idempotency keys, subscribers follow the feed, and meanwhile one node is cut off, one is killed, and
the server is killed and its standby promoted. At the end each answered save must be in the store
once, and each subscriber must have each transaction once, in order.

    sudo python3 Tests/PostgreSQL/cluster.py .build/release/stele

Needs: root, iproute2 and PostgreSQL's programs. The servers run as the user postgres.
"""

import argparse
import http.client
import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("stele")
parser.add_argument("--model", default="Config/Models/League.xcdatamodeld")
parser.add_argument("--writers", type=int, default=32)
parser.add_argument("--subscribers", type=int, default=100)
parser.add_argument("--rate", type=float, default=5, help="saves of each writer per second")
parser.add_argument("--cut", type=float, default=10, help="when a node is cut off, in seconds")
parser.add_argument("--heal", type=float, default=25, help="when it is connected again")
parser.add_argument("--kill", type=float, default=30, help="when another node is killed")
parser.add_argument("--restart", type=float, default=38, help="when it is started again")
parser.add_argument("--failover", type=float, default=45, help="when the server is killed")
parser.add_argument("--end", type=float, default=70, help="when the writers stop")
args = parser.parse_args()

versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda it: int(it.parts[-2]))
BIN = versions[-1] if versions else sys.exit("PostgreSQL is not installed")
NETWORK = "10.77.0"
SERVERS = {"db1": f"{NETWORK}.11", "db2": f"{NETWORK}.12"}
NODES = {"n1": f"{NETWORK}.21", "n2": f"{NETWORK}.22", "n3": f"{NETWORK}.23"}
PORT = 8080
work = pathlib.Path(tempfile.mkdtemp(prefix="cluster"))
started = time.monotonic()
processes = {}


def now():
    return time.monotonic() - started


def say(text):
    print(f"{now():6.1f} s  {text}", flush=True)


def run(*words, check=True):
    done = subprocess.run([str(it) for it in words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}")
    return done.stdout


def inside(name, *words, **options):
    return run("ip", "netns", "exec", f"stele-{name}", *words, **options)


# --- The network -------------------------------------------------------------------------------

def connect():
    run("ip", "link", "add", "stele0", "type", "bridge")
    run("ip", "addr", "add", f"{NETWORK}.1/24", "dev", "stele0")
    run("ip", "link", "set", "stele0", "up")
    for name, address in {**SERVERS, **NODES}.items():
        run("ip", "netns", "add", f"stele-{name}")
        run("ip", "link", "add", f"st-{name}", "type", "veth", "peer", "name", "eth0", "netns",
            f"stele-{name}")
        run("ip", "link", "set", f"st-{name}", "master", "stele0", "up")
        inside(name, "ip", "addr", "add", f"{address}/24", "dev", "eth0")
        inside(name, "ip", "link", "set", "eth0", "up")
        inside(name, "ip", "link", "set", "lo", "up")


def disconnect():
    for name in [*SERVERS, *NODES]:
        run("ip", "link", "del", f"st-{name}", check=False)
        run("ip", "netns", "del", f"stele-{name}", check=False)
    run("ip", "link", "del", "stele0", check=False)


# --- The database ------------------------------------------------------------------------------

def server(name, action, *options):
    return inside(name, "runuser", "-u", "postgres", "--", BIN / "pg_ctl", "-D", work / name, "-l",
                  work / f"{name}.log", "-w", *options, action)


def sql(name, text):
    return run("psql", "-h", SERVERS[name], "-U", "postgres", "-qAt", "-c", text, "postgres")


def start_servers():
    shutil.chown(work, "postgres")
    os.chmod(work, 0o755)
    run("runuser", "-u", "postgres", "--", BIN / "initdb", "-D", work / "db1", "-A", "trust", "-U",
        "postgres", "-E", "UTF8", "--locale=C")
    with open(work / "db1" / "pg_hba.conf", "a", encoding="utf-8") as file:
        for database in ["all", "replication"]:
            file.write(f"host {database} all {NETWORK}.0/24 trust\n")
    with open(work / "db1" / "postgresql.conf", "a", encoding="utf-8") as file:
        file.write("listen_addresses = '*'\nunix_socket_directories = ''\n"
                   "wal_receiver_timeout = 5s\nwal_sender_timeout = 5s\n")
    server("db1", "start")
    inside("db2", "runuser", "-u", "postgres", "--", BIN / "pg_basebackup", "-h", SERVERS["db1"],
           "-U", "postgres", "-D", work / "db2", "-R", "-X", "stream")
    server("db2", "start")
    # A commit is answered when the standby has it on its disk.
    with open(work / "db1" / "postgresql.conf", "a", encoding="utf-8") as file:
        file.write("synchronous_standby_names = '*'\n")
    server("db1", "reload")


# --- The nodes ---------------------------------------------------------------------------------

URL = (f"postgresql://postgres@{','.join(f'{it}:5432' for it in SERVERS.values())}/postgres"
       "?target_session_attrs=read-write&connect_timeout=2")


def start_node(name):
    log = open(work / f"{name}.log", "a", encoding="utf-8")
    processes[name] = subprocess.Popen(
        ["ip", "netns", "exec", f"stele-{name}", args.stele, "serve", args.model, "--store", URL,
         "--host", NODES[name], "--port", str(PORT), "--insecure"],
        stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection((NODES[name], PORT), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{name} does not answer: {(work / f'{name}.log').read_text()}")


# --- The writers -------------------------------------------------------------------------------

addresses = list(NODES.values())
ends = threading.Event()
answered = [set() for _ in range(args.writers)]
tries = [0] * args.writers
times = []
refusals = {}
refusing = threading.Lock()


def write(number):
    """Saves players until the end; each name until it is answered, at one node after the other."""
    place = number
    serial = 0
    while not ends.is_set():
        serial += 1
        name = f"w{number}-{serial}"
        body = json.dumps({"name": name, "goals": serial % 40})
        while True:
            tries[number] += 1
            try:
                connection = http.client.HTTPConnection(addresses[place % 3], PORT, timeout=5)
                connection.request("POST", "/Player", body, {
                    "Content-Type": "application/json", "Idempotency-Key": name})
                response = connection.getresponse()
                text = response.read()
                if response.status == 201:
                    answered[number].add(name)
                    times.append(now())
                    break
                reason = f"{response.status} {json.loads(text).get('title', '')}"
            except (OSError, http.client.HTTPException) as error:
                reason = type(error).__name__
            finally:
                connection.close()
            with refusing:
                refusals[reason] = refusals.get(reason, 0) + 1
            place += 1
            if now() > args.end + 60:
                return
            time.sleep(0.05)
        time.sleep(1 / args.rate)


# --- The subscribers ---------------------------------------------------------------------------

class Subscriber:
    """A follower of the feed, which goes on at the next node where its own is silent or gone."""

    def __init__(self, number):
        self.place = number
        self.socket = None
        self.last = None
        self.first = None
        self.saves = []
        self.joins = 0

    def join(self, selector):
        self.leave(selector)
        self.place += 1
        self.heard = now()
        self.buffer = b""
        self.isOpen = False
        made = socket.socket()
        made.setblocking(False)
        made.connect_ex((addresses[self.place % 3], PORT))
        self.socket = made
        self.joins += 1
        selector.register(made, selectors.EVENT_WRITE, self)

    def leave(self, selector):
        if self.socket is not None:
            selector.unregister(self.socket)
            self.socket.close()
            self.socket = None

    def ask(self, selector):
        resume = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
        self.socket.send((f"GET /changes HTTP/1.0\r\nHost: {addresses[self.place % 3]}\r\n"
                          f"Accept: text/event-stream\r\n{resume}\r\n").encode())
        selector.modify(self.socket, selectors.EVENT_READ, self)

    def read(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError
        self.heard = now()
        self.buffer += data
        if not self.isOpen:
            head, mark, rest = self.buffer.partition(b"\r\n\r\n")
            if not mark:
                return
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise ConnectionError
            self.isOpen = True
            self.buffer = rest
        *blocks, self.buffer = self.buffer.split(b"\n\n")
        for block in blocks:
            if b"event: expired" in block:
                sys.exit("a subscriber's place has expired")
            at = block.find(b"id: ")
            if at < 0:
                continue
            self.last = block[at + 4:].split(b"\n", 1)[0].decode()
            number = int(self.last.rsplit("-", 1)[1])
            if b"event: save" in block:
                self.saves.append(number)
            elif self.first is None:
                self.first = number


followed = [Subscriber(number) for number in range(args.subscribers)]
isFollowing = True


def follow():
    selector = selectors.DefaultSelector()
    for it in followed:
        it.join(selector)
    while isFollowing:
        for key, mask in selector.select(0.2):
            it = key.data
            try:
                if mask & selectors.EVENT_WRITE:
                    it.ask(selector)
                else:
                    it.read()
            except BlockingIOError:
                pass
            except OSError:
                it.join(selector)
        for it in followed:
            if now() - it.heard > 4:
                it.join(selector)
    for it in followed:
        it.leave(selector)


# --- The run -----------------------------------------------------------------------------------

def wait_until(seconds):
    time.sleep(max(0, seconds - now()))


def pauses():
    """The longest time without an answered save after each fault."""
    moments = sorted(times)
    gaps = list(zip(moments, moments[1:]))
    faults = {"cut": args.cut, "kill": args.kill, "failover": args.failover}
    for name, begin in faults.items():
        end = min([it for it in [args.heal, *faults.values(), args.end] if it > begin])
        longest = max((b - a for a, b in gaps if b > begin and a < end), default=0)
        print(f"the longest pause of saves after the {name}: {longest:.1f} s")


def judge():
    rows = sql("db2", "SELECT zname, count(*) FROM zplayer GROUP BY 1").split()
    stored = dict(line.rsplit("|", 1) for line in rows)
    saved = set().union(*answered)
    lost = [name for name in saved if name not in stored]
    doubled = [name for name, count in stored.items() if count != "1"]
    history = [int(it) for it in sql("db2", "SELECT z_pk FROM atransaction ORDER BY 1").split()]
    broken = 0
    for it in followed:
        wanted = [number for number in history if number > it.first]
        if it.saves != wanted:
            broken += 1
            say(f"a feed from {it.first}: {len(it.saves)} saves of {len(wanted)}, in order: "
                f"{it.saves == sorted(set(it.saves))}")
    events = sum(len(it.saves) for it in followed)
    print(f"{len(saved)} saves answered after {sum(tries)} tries, {len(stored)} stored, "
          f"{len(lost)} lost, {len(doubled)} twice")
    print(f"{len(history)} transactions; {len(followed)} feeds with {events} events, "
          f"{sum(it.joins for it in followed)} connections, {broken} not whole or not in order")
    pauses()
    print("other answers:", ", ".join(f"{count} x {reason}" for reason, count in refusals.items()))
    return not lost and not doubled and broken == 0 and len(saved) > 0


isRight = False
try:
    disconnect()
    connect()
    start_servers()
    for name in NODES:
        start_node(name)
    started = time.monotonic()
    following = threading.Thread(target=follow)
    following.start()
    writing = [threading.Thread(target=write, args=(number,)) for number in range(args.writers)]
    for it in writing:
        it.start()
    say(f"{args.writers} writers, {args.subscribers} subscribers, {len(NODES)} nodes")
    wait_until(args.cut)
    run("ip", "link", "set", "st-n2", "down")
    say("n2 is cut off")
    wait_until(args.heal)
    run("ip", "link", "set", "st-n2", "up")
    say("n2 is connected again")
    wait_until(args.kill)
    processes["n3"].send_signal(signal.SIGKILL)
    processes["n3"].wait()
    say("n3 is killed")
    wait_until(args.restart)
    start_node("n3")
    say("n3 is started again")
    wait_until(args.failover)
    before = sum(map(len, answered))
    server("db1", "stop", "-m", "immediate")
    server("db2", "promote")
    say("the server is killed and its standby promoted")
    while sum(map(len, answered)) < before + args.writers and now() < args.end:
        time.sleep(0.1)
    say("saves are answered again")
    wait_until(args.end)
    ends.set()
    for it in writing:
        it.join()
    last = int(sql("db2", "SELECT max(z_pk) FROM atransaction"))
    limit = now() + 30
    while now() < limit and any(not it.saves or it.saves[-1] < last for it in followed):
        time.sleep(0.2)
    isFollowing = False
    following.join()
    isRight = judge()
finally:
    isFollowing = False
    ends.set()
    for process in processes.values():
        process.terminate()
    for process in processes.values():
        process.wait(20)
    for name in SERVERS:
        if (work / name / "postmaster.pid").exists():
            server(name, "stop", "-m", "immediate")
    disconnect()
    if isRight:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"the logs are in {work}")
sys.exit(0 if isRight else 1)
