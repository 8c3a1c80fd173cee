#!/usr/bin/env python3
"""Simulates the saves of Stele nodes on PostgreSQL: one write lock, group commit, partitions.

Without options it prints the tables of Docs/Scale.md, with options of a case that case alone. Times
are milliseconds. The same seed gives the same output. Each statement of a writer is a round trip.
Saves that arrive until the last one is executed share the commit. The work of the processors,
checkpoints and failures are not simulated.
"""
import argparse
import heapq
import random
from types import SimpleNamespace

GROUP, GROUP_MS, POLL_MS = 256, 20.0, 500.0  # SavingLimits, ChangeFeed.Options
ROWS = (512, 64, 32, 16, 8, 4, 2, 1)  # RowBuffer: the rows of one statement
CASE = {
    "nodes": (1, "nodes"), "savers": (256, "clients that save, of all nodes"),
    "commit": (2.0, "time of a COMMIT on the server, with its sync"),
    "trip": (0.5, "round trip between node and server"),
    "statement": (0.1, "time of any other statement on the server"),
    "think": (2.0, "mean time of a client between an answer and its next save"),
    "tables": (5, "tables of entities, each read where another node has saved"),
    "parts": (1, "partitions, each with a lock of its own"),
    "servers": (1, "servers that the partitions are spread over"),
    "cross": (0.0, "fraction of the saves that change two partitions, in two phases"),
    "notify": (1, "1: each commit sends a NOTIFY; 0: none, and nodes poll"),
}
TABLES = [
    ("nodes savers commit trip".split(), [
        (1, 1, 2, 0.5), (1, 16, 2, 0.5), (1, 256, 2, 0.5), (2, 256, 2, 0.5), (8, 256, 2, 0.5),
        (1, 256, 0.5, 0.1), (4, 256, 0.5, 0.1), (1, 256, 10, 0.5), (4, 256, 10, 0.5),
        (1, 256, 2, 2), (4, 256, 2, 2)]),
    ("nodes parts servers cross notify".split(), [
        (4, 1, 1, 0, 1), (4, 4, 1, 0, 1), (4, 16, 1, 0, 1), (4, 16, 1, 0, 0), (4, 4, 4, 0, 1),
        (4, 16, 16, 0, 1), (4, 4, 4, 0.01, 1), (4, 4, 4, 0.1, 1), (4, 4, 4, 0.5, 1)]),
    ("nodes savers trip notify".split(), [
        (4, 4, 0.5, 1), (4, 4, 2, 1), (4, 256, 0.5, 1), (4, 4, 0.5, 0), (4, 256, 0.5, 0)]),
]


class Queue:
    """What processes wait for: a process that yields it goes on when it is woken."""

    def __init__(self, world):
        self.world, self.waiting, self.items, self.is_held = world, [], [], False

    def wake(self):
        if self.waiting:
            self.world.start(self.waiting.pop(0))

    def put(self, item):
        self.items.append(item)
        self.wake()

    def take(self, most):
        taken, self.items = self.items[:most], self.items[most:]
        return taken

    def lock(self):
        if self.is_held:
            yield self  # unlocking hands it over
        self.is_held = True

    def unlock(self):
        self.is_held = bool(self.waiting)
        self.wake()


class World:
    def __init__(self, case, seed, seconds):
        self.case, self.random, self.end = case, random.Random(seed), seconds * 1000.0
        self.now, self.events, self.count = 0.0, [], 0
        self.times, self.commits, self.delays = [], [], []  # with the moment of each
        self.locks, self.turns, self.hints = (
            [Queue(self) for _ in range(count)] for count in (case.parts, case.servers, case.nodes))
        self.last_writers, self.news = [None] * case.parts, [[] for _ in range(case.nodes)]
        self.inboxes = {}  # by the node and the partitions that its writer changes together
        for node in range(case.nodes):
            self.start(self.follower(node), self.random.random() * POLL_MS * (1 - case.notify))
        for saver in range(case.savers):
            self.start(self.saver(saver % case.nodes))

    def start(self, process, delay=0.0):
        self.count += 1
        heapq.heappush(self.events, (self.now + delay, self.count, process))

    def run(self):
        while self.events[0][0] < self.end:
            self.now, _, process = heapq.heappop(self.events)
            step = next(process, None)
            if isinstance(step, Queue):
                step.waiting.append(process)
            elif step is not None:
                self.start(process, step)
        return self

    def saver(self, node):
        done, case = Queue(self), self.case
        while True:
            yield self.random.expovariate(1.0) * case.think
            most = 2 if case.parts > 1 and self.random.random() < case.cross else 1
            place = node, tuple(sorted(self.random.sample(range(case.parts), most)))
            if place not in self.inboxes:
                self.inboxes[place] = Queue(self)
                self.start(self.writer(*place))
            began = self.now
            self.inboxes[place].put(done)
            yield done
            self.times.append((self.now, self.now - began))

    def writer(self, node, parts):
        case, inbox = self.case, self.inboxes[node, parts]
        half, trip, is_cross = case.trip / 2, case.trip + case.statement, len(parts) > 1
        while True:
            if not inbox.items:
                yield inbox
            jobs = inbox.take(GROUP)
            yield trip  # BEGIN
            for part in parts:  # in the order of the partitions, so that there is no deadlock
                yield half
                yield from self.locks[part].lock()  # SELECT … FOR UPDATE
                yield case.statement + half
                if self.last_writers[part] not in (None, node):
                    # The counters, a MAX for each table, the metadata, the images, two texts.
                    yield trip * (case.tables + 5)
            began, done = self.now, 0
            while done < len(jobs) and (done == 0 or self.now - began < GROUP_MS):
                yield trip * len(parts)  # INSERT
                done += 1
                if done == len(jobs):
                    jobs += inbox.take(GROUP - done)
            # ATRANSACTION and ACHANGE, three counters and the row of STELE_COMMIT.
            inserts = sum(done % above // size for above, size in zip((done + 1, *ROWS), ROWS))
            yield trip * len(parts) * (2 * inserts + 4)
            turns = Queue(self)  # of no other
            if is_cross:
                yield trip + case.commit  # PREPARE TRANSACTION in both at once, without NOTIFY
            elif case.notify:
                yield trip
                turns = self.turns[parts[0] % case.servers]
            yield half
            yield from turns.lock()
            yield case.commit
            turns.unlock()
            self.commits.append((self.now, done))
            for part in parts:
                self.last_writers[part] = node
                self.locks[part].unlock()
            for other in set(range(case.nodes)) - {node}:
                self.news[other].append(self.now)
                if case.notify and not is_cross:
                    self.start(self.hint(other), half)
            yield half
            for answer in jobs[:done]:
                answer.wake()
            inbox.items = jobs[done:] + inbox.items

    def hint(self, node):
        self.hints[node].put(True)
        yield from ()

    def follower(self, node):
        """The feed of a node: hears of commits of other nodes, and reads the history."""
        trip, hints = self.case.trip + self.case.statement, self.hints[node]
        while True:
            if not self.case.notify:
                yield POLL_MS
            elif not hints.items:
                yield hints
            hints.items = []
            yield 2 * trip + self.case.trip / 2  # the count, BEGIN, the read that opens the view
            seen, self.news[node] = self.news[node], []
            yield trip * 3.5  # the rest of it, the oldest save, the saves and their changes
            self.delays += [(self.now, self.now - commit) for commit in seen]


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", type=int, default=20261128, help="default: %(default)s")
parser.add_argument("--seconds", type=float, default=10.0, help="simulated (%(default)s)")
for name, (default, text) in CASE.items():
    parser.add_argument(f"--{name}", type=type(default), help=f"{text} ({default})")
options = vars(parser.parse_args())
seed, seconds = options["seed"], options["seconds"]
given = {name: options[name] for name in CASE if options[name] is not None}
print(f"Seed {seed}, {seconds:g} simulated seconds a row.")
for names, rows in [(list(given), [given.values()])] if given else TABLES:
    print("\n| " + " | ".join([*names, "saves/s", "a commit", "wait", "feed"]) + " |")
    print("| ---: " * (len(names) + 4) + "|")
    for values in rows:
        case = {name: it for name, (it, _) in CASE.items()} | dict(zip(names, values))
        world = World(SimpleNamespace(**case), seed, seconds).run()
        commits, *waits = (
            sorted(value for at, value in noted if at > world.end / 5)  # not the start
            for noted in (world.commits, world.times, world.delays))
        cells = [f"{value:g}" for value in values]
        cells += [f"{sum(commits) / seconds / 0.8:.0f}", f"{sum(commits) / len(commits):.1f}"]
        for it in waits:  # the median and the 99th percentile
            cells.append(f"{it[len(it) // 2]:.1f} / {it[len(it) * 99 // 100]:.1f}" if it else "–")
        print("| " + " | ".join(cells) + " |")
