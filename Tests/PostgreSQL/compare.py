#!/usr/bin/env python3
"""Nodes of Stele against pgbench on one PostgreSQL server: ratios of one run.

It starts a server in a folder of its own, which writes to the disk durably, serves the model
League on it, loads players over HTTP, and runs wrk against one node and against three, and pgbench
with prepared statements over the same table at the same number of connections. Inserts are measured
on the disk as it is, and where each sync of the server lasts longer, so that the processors, which
all share, do not decide. Three nodes are compared with one where each is held to a share of a
processor by control groups, as by a small machine. Two more nodes have a slow road to the server,
so that the delay of an event is one in round trips.

Needs: PostgreSQL's programs, pgbench, wrk and cc. As root the server runs as the user postgres, and
control groups can be made.
"""
import argparse
import asyncio
import http.client
import json
import logging
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("stele", help="the release binary")
parser.add_argument("--players", type=int, default=100_000, help="rows that are loaded")
parser.add_argument("--connections", type=int, default=16, help="of wrk and of pgbench")
parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
parser.add_argument("--rounds", type=int, default=3, help="the median of so many is printed")
parser.add_argument("--sync-delay", type=int, default=250,
                    help="by how many microseconds a sync lasts longer")
parser.add_argument("--share", type=float, default=0.2,
                    help="of a processor, for each of three nodes and one")
parser.add_argument("--port", type=int, default=9731, help="the first of three")
args = parser.parse_args()

MODEL = Path(__file__).resolve().parents[2] / "Config/Models/League.xcdatamodeld"
BIN = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda it: int(it.parent.name))
work = Path(tempfile.mkdtemp(prefix="stele-compare-"))
url = f"postgresql://postgres@/postgres?host={work}"
as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def run(*command, **more):
    return subprocess.run([str(it) for it in command], check=True, text=True,
                          capture_output=True, **more).stdout


def server(action, delay=0):
    options = f"-c listen_addresses= -c unix_socket_directories={work} -c max_connections=200"
    started = ["-o", options] if action == "start" else ["-m", "fast"]
    slow = {"LD_PRELOAD": str(work / "slow_sync.so"), "SYNC_DELAY_US": str(delay)}
    # The server would keep a pipe open.
    subprocess.run([*as_user, str(BIN / "pg_ctl"), "-D", str(work / "data"), "-l",
                    str(work / "log"), "-w", *started, action], check=True,
                   env={**os.environ, **(slow if delay else {})},
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.connect()
    # The head and the body are two packets.
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    text = None if body is None else json.dumps(body)
    connection.request(method, path, text, {"Content-Type": "application/json"} if text else {})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status < 300, (answer.status, content[:300])
    return content


def node(number, url=url):
    log = open(work / f"node{number}.log", "w")
    process = subprocess.Popen([args.stele, "serve", MODEL, "--store", url,
                                "--port", str(args.port + number)],
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    for _ in range(200):
        try:
            ask(args.port + number, "GET", "/readyz")
            return process
        except (OSError, AssertionError):
            time.sleep(0.05)
    raise SystemExit((work / f"node{number}.log").read_text())


def hold(process, share):
    """Holds a process to a share of a processor, and returns whether that can be done here."""
    period = 10_000
    quota = int(period * share)
    for root, files in (("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": period,
                                                "cpu.cfs_quota_us": quota}),
                        ("/sys/fs/cgroup", {"cpu.max": f"{quota} {period}"})):
        group = Path(root) / f"{work.name}-{process.pid}"
        try:
            if root.endswith("cgroup"):
                (Path(root) / "cgroup.subtree_control").write_text("+cpu")
            group.mkdir()
            for name, value in files.items():
                (group / name).write_text(str(value))
            (group / "cgroup.procs").write_text(str(process.pid))
            groups.append(group)
            return True
        except OSError:
            if group.is_dir():
                group.rmdir()
    return False


def release():
    """Ends what `hold` has begun."""
    for group in groups:
        for process in (group / "cgroup.procs").read_text().split():
            (group.parent / "cgroup.procs").write_text(process)
        group.rmdir()
    groups.clear()


# The seconds that a byte takes on the slow road, in each direction.
SLOWNESS = 0.01


def slow_road():
    """Begins to carry bytes to the server by a socket of its own, and returns its folder."""
    folder = work / "slow"
    folder.mkdir()

    async def carry(reader, writer):
        late = asyncio.Queue()

        async def deliver():
            while True:
                due, data = await late.get()
                if not data:
                    return writer.close()
                await asyncio.sleep(max(0, due - time.monotonic()))
                writer.write(data)

        task = asyncio.create_task(deliver())
        data = b" "
        while data:
            try:
                data = await reader.read(65_536)
            except ConnectionError:
                data = b""
            late.put_nowait((time.monotonic() + SLOWNESS, data))
        await task

    async def connect(reader, writer):
        there = await asyncio.open_unix_connection(str(work / ".s.PGSQL.5432"))
        await asyncio.gather(carry(reader, there[1]), carry(there[0], writer))

    async def serve():
        async with await asyncio.start_unix_server(connect, str(folder / ".s.PGSQL.5432")) as it:
            await it.serve_forever()

    # It ends with the process, in the middle of whatever it carries.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    threading.Thread(target=asyncio.run, args=(serve(),), daemon=True).start()
    time.sleep(0.3)
    return folder


GET = """local n = 0
function init(args) math.randomseed(os.time()) end
function request() return wrk.format("GET", "/Player/" .. math.random(1, %d)) end
function response(status) if status ~= 200 then os.exit(1) end end
"""
POST = """function request()
  return wrk.format("POST", "/Player", {["Content-Type"] = "application/json"},
    '{"name":"Player New","goals":3,"country":"ES","number":7}')
end
function response(status) if status ~= 201 then os.exit(1) end end
"""


def wrk(ports, script, connections=args.connections):
    path = work / "wrk.lua"
    path.write_text(script)
    each = max(1, connections // len(ports))
    running = [subprocess.Popen(["wrk", "-t1", f"-c{each}", f"-d{args.seconds}s", "-s", path,
                                 f"http://127.0.0.1:{port}"], text=True,
                                stdout=subprocess.PIPE) for port in ports]
    return sum(float(re.search(r"Requests/sec:\s+([\d.]+)", it.communicate()[0])[1])
               for it in running)


def pgbench(script):
    path = work / "pgbench.sql"
    path.write_text(script)
    os.chmod(path, 0o644)
    text = run(BIN / "pgbench", "-n", "-M", "prepared", "-c", args.connections, "-j", 2, "-T",
               args.seconds, "-f", path, "-h", work, "-U", "postgres", "postgres")
    return float(re.search(r"tps = ([\d.]+)", text)[1])


def event_delay(port, other):
    """The milliseconds from a save's answer to its event on another node, the median of 50."""
    stream = http.client.HTTPConnection("127.0.0.1", other, timeout=30)
    stream.request("GET", "/changes", headers={"Accept": "text/event-stream"})
    lines = stream.getresponse()
    arrivals = []

    def read():
        for line in lines:
            if line.startswith(b"event: save"):
                arrivals.append(time.monotonic())

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    time.sleep(1)
    # Those of saves that were made before.
    earlier = len(arrivals)
    delays = []
    for number in range(50):
        ask(port, "POST", "/Team", {"name": f"Team {number}"})
        answered = time.monotonic()
        while len(arrivals) <= earlier + number:
            time.sleep(0.0001)
        delays.append(1_000 * (arrivals[earlier + number] - answered))
    return statistics.median(delays)


def median(measure):
    return statistics.median(measure() for _ in range(args.rounds))


def compare_inserts(what):
    inserts = median(lambda: pgbench(insert))
    saves = median(lambda: wrk([args.port], POST))
    print(f"{what}: pgbench {inserts:.0f}/s, one node {saves:.0f}/s, "
          f"ratio {saves / inserts:.2f}", flush=True)


nodes = []
groups = []
try:
    run("cc", "-shared", "-fPIC", "-O2", "-o", work / "slow_sync.so",
        Path(__file__).with_name("slow_sync.c"), "-ldl")
    if os.getuid() == 0:
        shutil.chown(work, "postgres")
    os.chmod(work, 0o777)
    run(*as_user, BIN / "initdb", "-D", work / "data", "-A", "trust", "-U", "postgres", "-E",
        "UTF8", "--locale=C")
    server("start")
    nodes.append(node(0))
    for start in range(0, args.players, 2_000):
        ask(args.port, "POST", "/Player", [
            {"name": f"Player {number:06}", "goals": number % 40, "country": "FR",
             "number": 1 + number % 99} for number in range(start, start + 2_000)])
    run("psql", "-h", work, "-U", "postgres", "-qc", "VACUUM ANALYZE", "postgres")

    select = f"\\set id random(1, {args.players})\nSELECT * FROM zplayer WHERE z_pk = :id;\n"
    insert = ("INSERT INTO probe (z_ent, z_opt, zname, zgoals, zcountry, znumber) "
              "VALUES (1, 1, 'Player New', 3, 'ES', 7);\n")
    run("psql", "-h", work, "-U", "postgres", "-qc",
        "CREATE TABLE probe (z_pk bigserial PRIMARY KEY, z_ent bigint, z_opt bigint, zname text, "
        "zgoals bigint, zcountry text, znumber bigint); CREATE INDEX ON probe (zname)",
        "postgres")
    reads = median(lambda: pgbench(select))
    one = median(lambda: wrk([args.port], GET % args.players))
    print(f"get by id: pgbench {reads:.0f}/s, one node {one:.0f}/s, ratio {one / reads:.2f}",
          flush=True)
    compare_inserts("durable insert")
    server("stop")
    server("start", args.sync_delay)
    compare_inserts(f"durable insert where a sync lasts {args.sync_delay} us longer")
    server("stop")
    server("start")
    nodes += [node(1), node(2)]
    ports = [args.port, args.port + 1, args.port + 2]
    three = median(lambda: wrk(ports, GET % args.players))
    print(f"get by id: three nodes on the same processors {three:.0f}/s, {three / one:.2f} of one",
          flush=True)
    if all([hold(process, args.share) for process in nodes]):
        for what, script in (("get by id", GET % args.players), ("durable insert", POST)):
            # As many connections to one node as to all three.
            one = median(lambda: wrk(ports[:1], script, 3 * args.connections))
            three = median(lambda: wrk(ports, script, 3 * args.connections))
            print(f"{what}, each node with {args.share} of a processor: one node {one:.0f}/s, "
                  f"three nodes {three:.0f}/s, ratio {three / one:.2f}", flush=True)
    else:
        print("control groups cannot be made here: three nodes are not compared with one",
              flush=True)
    release()
    delay = event_delay(args.port, args.port + 1)
    print(f"an event on another node: {delay:.2f} ms after the save's answer", flush=True)
    road = slow_road()
    nodes += [node(number, url.replace(str(work), str(road))) for number in (3, 4)]
    slow = event_delay(args.port + 3, args.port + 4) / (2_000 * SLOWNESS)
    print(f"the same with round trips of {2_000 * SLOWNESS:.0f} ms to the server: "
          f"{slow:.2f} round trips", flush=True)
finally:
    release()
    for process in nodes:
        process.terminate()
    for process in nodes:
        process.wait(20)
    server("stop")
    shutil.rmtree(work, ignore_errors=True)
