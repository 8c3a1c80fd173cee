"""The table, and how programs that write it to files are registered."""

import csv
import datetime
import decimal
import importlib
import importlib.metadata
import json
import subprocess
import uuid

UTC = datetime.timezone.utc
COLUMNS = ["_id", "name", "age", "big", "ok", "score", "tax", "born", "tag", "team", "note"]
ROWS = [
    [1, "Ann", 30, 9007199254740993, True, 1.5, decimal.Decimal("12.50"),
     datetime.datetime(2024, 5, 1, 9, tzinfo=UTC), uuid.UUID(int=5), 1, 'a "q", b'],
    [2, "", None, None, None, None, None, None, None, None, "line\nbreak"],
    [3, "Cy", -5, 3, False, 1e19, decimal.Decimal("0.10"),
     datetime.datetime(1999, 12, 31, 23, 59, 59, 123456, tzinfo=UTC), uuid.UUID(int=6), 2, "x;y\tz"]]
# What the export of the table has, as JSON.
WANTED = {1: {"name": "Ann", "age": 30, "big": 9007199254740993, "ok": True, "score": 1.5, "tax": 12.5,
              "born": "2024-05-01T09:00:00Z", "tag": str(uuid.UUID(int=5)), "team": 1, "note": 'a "q", b'},
          2: {**dict.fromkeys(COLUMNS[1:]), "name": "", "note": "line\nbreak"},
          3: {"name": "Cy", "age": -5, "big": 3, "ok": False, "score": 1e19, "tax": 0.1,
              "born": "1999-12-31T23:59:59.123456Z", "tag": str(uuid.UUID(int=6)), "team": 2, "note": "x;y\tz"}}
# What a program may change: the empty text to null, the integer to a Double, and others.
EMPTY, BIG = {"2.name": None}, {"1.big": 9007199254740992}
MILLIS = {"3.born": "1999-12-31T23:59:59.123Z"}

files = []


class File:
    """A file that a program writes."""

    def __init__(self, what, name, make, options="", known=None, refused=None):
        self.what, self.name, self.make, self.options = what, name, make, options
        self.known, self.refused = known or {}, refused


def program(name, version):
    """Registers the files of a program; `version` fails where it is not installed."""
    def register(function):
        files.append((name, version, function))
        return function
    return register


def run(*command, stdin=None, **options):
    return subprocess.run([str(it) for it in command], input=stdin, capture_output=True, text=True, check=True,
                          timeout=120, **options).stdout


def module(name):
    return lambda: importlib.import_module(name).__version__


def distribution(name):
    return lambda: importlib.metadata.version(name)


def first_words(*command, at=-1):
    return lambda: run(*command).splitlines()[0].split()[at]


def plain(value):
    """A value as text, as programs without types have it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)


def plain_csv(path):
    """The table as CSV, for programs that read a file and write another: null is an empty cell, and so is
    the empty text."""
    with open(path, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *[[plain(it) for it in row] for row in ROWS]])


def plain_json(path, lines=False):
    rows = [dict(zip(COLUMNS, [it if isinstance(it, (bool, int, float, type(None))) else plain(it) for it in row]))
            for row in ROWS]
    path.write_text("".join(json.dumps(it) + "\n" for it in rows) if lines else json.dumps(rows))


def from_csv(*command, to_file=False):
    """What a command makes of the table as CSV; `IN` and `OUT` stand for the files."""
    def make(path):
        source = path.with_name("in.csv")
        plain_csv(source)
        given = [source if it == "IN" else path if it == "OUT" else it for it in command]
        made = run(*given)
        if not to_file:
            path.write_text(made)
    return make


def from_json(*command):
    def make(path):
        source = path.with_name("in.json")
        plain_json(source)
        path.write_text(run(*command, source))
    return make


def from_tsv(*command):
    """What a command makes of the table as TSV with escapes."""
    def make(path):
        rows = [[plain(it).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for it in row]
                for row in [COLUMNS, *ROWS]]
        path.write_text(run(*command, stdin="".join("\t".join(row) + "\n" for row in rows)))
    return make
