#!/usr/bin/env python3
"""Imports files that other programs write of one table, and reads back what they say:
python check.py STELE

The table has integers, a Boolean, a Double, a Decimal, a date, a UUID, a link, texts with quotes, line ends and
separators, the empty text, and null. Each program that is installed writes it in its ways; STELE imports each
file into a store of its own and exports that. The script prints a row for each file: the program with its
version, the file, the options of the import, and what is not as in the table. It ends with status 1 where a
file is refused that should be taken, or the other way round, or differs in other places than it is known to
(where the program itself has changed a value). `make files` runs it with the Python of PYTHON.
"""

import datetime
import decimal
import importlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).parent
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
    from importlib import metadata
    return lambda: metadata.version(name)


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
    import csv
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


@program("pandas", module("pandas"))
def pandas():
    import csv
    import pandas as pd
    table = pd.DataFrame(ROWS, columns=COLUMNS)
    for column in ["age", "big", "team"]:
        table[column] = table[column].astype("float64")
    table["born"] = pd.to_datetime(table["born"], utc=True)
    text = {**EMPTY, **BIG}
    exact = table.assign(**{name: pd.array([row[COLUMNS.index(name)] for row in ROWS], dtype=kind)
                            for name, kind in [("age", "Int16"), ("big", "Int64"), ("ok", "boolean"),
                                               ("team", "Int64")]})
    naive = table.assign(born=table["born"].dt.tz_localize(None))
    # Decimals are Doubles in its JSON, and UUIDs are nothing that it can write.
    records = table.assign(tax=table["tax"].astype(str).where(table["tax"].notna(), None),
                           tag=table["tag"].astype(str).where(table["tag"].notna(), None))

    def to(options, **more):
        return lambda path: more.get("of", table).to_csv(path, **{"index": False, **options})
    return [
        File("to_csv(index=False)", "person.csv", to({}), known=text),
        File("to_csv()", "person.csv", to({"index": True}), "--ignore-unknown", text),
        File("to_csv(sep=';')", "person.csv", to({"sep": ";"}), known=text),
        File("to_csv(sep='\\t')", "person.tsv", to({"sep": "\t"}), known=text),
        File("to_csv(quoting=QUOTE_ALL)", "person.csv", to({"quoting": csv.QUOTE_ALL}), known=BIG),
        File("to_csv(quoting=QUOTE_NONNUMERIC)", "person.csv", to({"quoting": csv.QUOTE_NONNUMERIC}), known=BIG),
        File("to_csv(na_rep='NA')", "person.csv", to({"na_rep": "NA"}), "--null NA", BIG),
        File("to_csv, nullable types", "person.csv", to({}, of=exact), known=EMPTY),
        File("to_csv, times without a zone", "person.csv", to({}, of=naive), "--time-zone UTC", text),
        File("to_csv, the same", "person.csv", to({}, of=naive), refused="--time-zone"),
        File("to_csv(float_format='%.3f')", "person.csv", to({"float_format": "%.3f"}), known=text),
        File("to_csv(decimal=',', sep=';')", "person.csv", to({"decimal": ",", "sep": ";"}), refused="score"),
        File("to_json(orient='records')", "person.json", lambda path: records.to_json(path, orient="records"),
             "--dates milliseconds", {**BIG, **MILLIS}),
        File("to_json(…, lines=True)", "person.ndjson",
             lambda path: records.to_json(path, orient="records", lines=True), "--dates milliseconds",
             {**BIG, **MILLIS}),
        File("to_json(…, date_format='iso')", "person.json",
             lambda path: records.to_json(path, orient="records", date_format="iso"), "", {**BIG, **MILLIS}),
        File("to_json()", "person.json", lambda path: records.to_json(path), refused=""),
    ]


@program("polars", module("polars"))
def polars():
    import polars as pl
    table = pl.DataFrame(
        [[str(it) if isinstance(it, uuid.UUID) else it for it in row] for row in ROWS], orient="row",
        schema={"_id": pl.Int64, "name": pl.String, "age": pl.Int16, "big": pl.Int64, "ok": pl.Boolean,
                "score": pl.Float64, "tax": pl.Decimal(10, 2), "born": pl.Datetime("us", "UTC"), "tag": pl.String,
                "team": pl.Int64, "note": pl.String})
    return [
        File("write_csv()", "person.csv", table.write_csv),
        File("write_csv(separator=';')", "person.csv", lambda path: table.write_csv(path, separator=";")),
        File("write_csv(separator='|')", "person.csv", lambda path: table.write_csv(path, separator="|"),
             "--separator |"),
        File("write_csv(null_value='NA')", "person.csv", lambda path: table.write_csv(path, null_value="NA"),
             "--null NA"),
        File("write_csv(quote_style='always')", "person.csv",
             lambda path: table.write_csv(path, quote_style="always")),
        File("write_csv(datetime_format='%d.%m.%Y')", "person.csv",
             lambda path: table.write_csv(path, datetime_format="%d.%m.%Y"), refused="born"),
        File("write_json()", "person.json", table.write_json),
        File("write_ndjson()", "person.ndjson", table.write_ndjson),
    ]


@program("DuckDB", module("duckdb"))
def duckdb():
    import duckdb as db
    source = db.connect()
    source.execute("SET TimeZone = 'UTC'")
    source.execute("CREATE TABLE t (_id INT, name VARCHAR, age SMALLINT, big BIGINT, ok BOOLEAN, score DOUBLE, "
                   "tax DECIMAL(10, 2), born TIMESTAMPTZ, tag UUID, team INT, note VARCHAR)")
    source.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", ROWS)

    def copy(options, table="t"):
        return lambda path: source.execute(f"COPY {table} TO '{path}' ({options})")
    naive = "(SELECT * REPLACE (born::TIMESTAMP AS born) FROM t)"
    return [
        File("COPY TO (FORMAT csv)", "person.csv", copy("FORMAT csv")),
        File("COPY TO (delimiter tab)", "person.tsv", copy("FORMAT csv, DELIMITER '\t'")),
        File("COPY TO (force_quote *)", "person.csv", copy("FORMAT csv, FORCE_QUOTE *")),
        File("COPY TO (nullstr 'NA')", "person.csv", copy("FORMAT csv, NULLSTR 'NA'"), "--null NA"),
        File("COPY TO, TIMESTAMP", "person.csv", copy("FORMAT csv", naive), "--time-zone UTC"),
        File("COPY TO (FORMAT json)", "person.ndjson", copy("FORMAT json")),
        File("COPY TO (FORMAT json, ARRAY true)", "person.json", copy("FORMAT json, ARRAY true")),
    ]


@program("Python", lambda: sys.version.split()[0])
def python():
    import csv

    def write(**options):
        def make(path):
            with open(path, "w", newline="") as out:
                csv.writer(out, **options).writerows([COLUMNS, *ROWS])
        return make
    rows = [dict(zip(COLUMNS, row)) for row in ROWS]
    return [
        File("csv.writer", "person.csv", write(), known=EMPTY),
        File("csv.writer, dialect excel-tab", "person.tsv", write(dialect="excel-tab"), known=EMPTY),
        File("csv.writer, dialect unix", "person.csv", write(dialect="unix")),
        File("csv.writer, QUOTE_STRINGS or QUOTE_NONNUMERIC", "person.csv", write(quoting=csv.QUOTE_NONNUMERIC)),
        File("json.dump(default=str)", "person.json",
             lambda path: path.write_text(json.dumps(rows, default=str))),
        File("json.dumps(default=str) of each", "person.ndjson",
             lambda path: path.write_text("".join(json.dumps(it, default=str) + "\n" for it in rows))),
    ]


@program("pyarrow", module("pyarrow"))
def pyarrow():
    import pyarrow as pa
    import pyarrow.csv
    types = [pa.int64(), pa.string(), pa.int16(), pa.int64(), pa.bool_(), pa.float64(), pa.decimal128(10, 2),
             pa.timestamp("us", "UTC"), pa.string(), pa.int64(), pa.string()]
    columns = [[str(it) if isinstance(it, uuid.UUID) else it for it in column] for column in zip(*ROWS)]
    table = pa.table({name: pa.array(values, kind) for name, values, kind in zip(COLUMNS, columns, types)})

    def write(**options):
        return lambda path: pa.csv.write_csv(table, str(path), pa.csv.WriteOptions(**options))
    return [
        File("write_csv", "person.csv", write()),
        File("write_csv(delimiter=';')", "person.csv", write(delimiter=";")),
        File("write_csv(quoting_style='all_valid')", "person.csv", write(quoting_style="all_valid")),
    ]


@program("dask", module("dask"))
def dask():
    import dask.dataframe as dd
    import pandas as pd
    table = pd.DataFrame(ROWS, columns=COLUMNS)
    table["born"] = pd.to_datetime(table["born"], utc=True)
    table["tag"] = table["tag"].astype(str).where(table["tag"].notna(), None)
    lazy = dd.from_pandas(table, npartitions=1)
    return [File("to_csv(single_file=True, index=False)", "person.csv",
                 lambda path: lazy.to_csv(str(path), single_file=True, index=False), known={**EMPTY, **BIG})]


@program("petl", module("petl"))
def petl():
    import petl as etl
    table = [COLUMNS, *ROWS]
    texts = [COLUMNS, *[[it if isinstance(it, (bool, int, float, type(None))) else plain(it) for it in row]
                        for row in ROWS]]
    return [
        File("tocsv", "person.csv", lambda path: etl.tocsv(table, str(path)), known=EMPTY),
        File("totsv", "person.tsv", lambda path: etl.totsv(table, str(path)), known=EMPTY),
        File("tojson", "person.json", lambda path: etl.tojson(texts, str(path))),
        File("tojson(lines=True)", "person.ndjson", lambda path: etl.tojson(texts, str(path), lines=True)),
    ]


@program("tablib", module("tablib"))
def tablib():
    import tablib as lib
    data = lib.Dataset(*ROWS, headers=COLUMNS)

    def export(kind):
        return lambda path: path.write_text(data.export(kind), newline="")
    return [
        File("export('csv')", "person.csv", export("csv"), known=EMPTY),
        File("export('tsv')", "person.tsv", export("tsv"), known=EMPTY),
        File("export('json')", "person.json", export("json")),
    ]


@program("csvkit", distribution("csvkit"))
def csvkit():
    folder = pathlib.Path(sys.executable).parent
    return [
        File("csvformat", "person.csv", from_csv(folder / "csvformat", "IN"), known=EMPTY),
        File("csvformat -T", "person.tsv", from_csv(folder / "csvformat", "-T", "IN"), known=EMPTY),
        File("csvformat -D ';' -U 1", "person.csv", from_csv(folder / "csvformat", "-D", ";", "-U", "1", "IN")),
        File("csvsort -I", "person.csv", from_csv(folder / "csvsort", "-I", "-c", "_id", "IN"), known=EMPTY),
        File("csvjson -I", "person.json", from_csv(folder / "csvjson", "-I", "IN"), known=EMPTY),
        File("csvjson --stream -I", "person.ndjson", from_csv(folder / "csvjson", "--stream", "-I", "IN"),
             known=EMPTY),
        File("csvjson", "person.json", from_csv(folder / "csvjson", "IN"), known={**EMPTY, **BIG}),
    ]


@program("VisiData", distribution("visidata"))
def visidata():
    folder = pathlib.Path(sys.executable).parent
    def vd(*more):
        return from_csv(folder / "vd", "-b", "IN", "-o", "OUT", *more, to_file=True)
    return [
        File("vd -b -o x.csv", "person.csv", vd(), known=EMPTY),
        # As in those of SQLite.
        File("vd -b -o x.tsv", "person.tsv", vd(), refused=""),
        File("vd -b -o x.json", "person.json", vd()),
        File("vd -b -o x.jsonl", "person.jsonl", vd()),
    ]


@program("Miller", first_words("mlr", "--version"))
def miller():
    return [
        File("mlr --csv cat", "person.csv", from_csv("mlr", "--csv", "cat", "IN"), known=EMPTY),
        File("mlr --csv --quote-all cat", "person.csv", from_csv("mlr", "--csv", "--quote-all", "cat", "IN")),
        File("mlr --icsv --ojson cat", "person.json", from_csv("mlr", "--icsv", "--ojson", "cat", "IN"),
             "--missing null"),
        File("mlr --icsv --ojsonl cat", "person.ndjson", from_csv("mlr", "--icsv", "--ojsonl", "cat", "IN"),
             "--missing null"),
        File("mlr --icsv --otsv cat", "person.tsv", from_csv("mlr", "--icsv", "--otsv", "cat", "IN"),
             "--escapes backslash", EMPTY),
        File("mlr --ijson --ojsonl cat", "person.ndjson", from_json("mlr", "--ijson", "--ojsonl", "cat")),
    ]


@program("jq", first_words("jq", "--version"))
def jq():
    def rows(form):
        head = json.dumps(COLUMNS)
        return from_json("jq", "-r", f"{head} as $c | ($c, (.[] | [.[$c[]]])) | @{form}")
    return [
        File("jq -c .[]", "person.ndjson", from_json("jq", "-c", ".[]"), known=BIG),
        File("jq .", "person.json", from_json("jq", "."), known=BIG),
        File("jq @csv", "person.csv", rows("csv"), known=BIG),
        File("jq @tsv", "person.tsv", rows("tsv"), "--escapes backslash", {**BIG, **EMPTY}),
    ]


@program("SQLite", first_words("sqlite3", "--version", at=0))
def sqlite():
    script = ["CREATE TABLE t (_id INT, name TEXT, age INT, big INT, ok INT, score REAL, tax TEXT, born TEXT, "
              "tag TEXT, team INT, note TEXT);"]
    for row in ROWS:
        cells = ["NULL" if it is None else str(it) if isinstance(it, (int, float)) and not isinstance(it, bool)
                 else str(int(it)) if isinstance(it, bool) else "'" + plain(it).replace("Z", "") + "'"
                 for it in row]
        script.append(f"INSERT INTO t VALUES ({', '.join(cells)});")

    def shell(*lines):
        return lambda path: path.write_text(run(
            "sqlite3", ":memory:", stdin="\n".join([*script, ".headers on", *lines, "SELECT * FROM t;"])))
    return [
        File(".mode csv", "person.csv", shell(".mode csv"), "--time-zone UTC"),
        File(".mode csv, .nullvalue NA", "person.csv", shell(".mode csv", ".nullvalue NA"),
             "--time-zone UTC --null NA"),
        # Line ends and tabs in its cells end them.
        File(".mode tabs", "person.tsv", shell(".mode tabs"), refused=""),
        File(".mode json", "person.json", shell(".mode json"), "--time-zone UTC"),
        File(".mode list", "person.csv", shell(".mode list"), "--separator |", refused=""),
    ]


@program("PostgreSQL", lambda: run(sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1] / "postgres",
                                   "--version").split()[2])
def postgresql():
    binary = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    data = pathlib.Path(tempfile.mkdtemp(prefix="tables"))
    data.chmod(0o777)
    # Its programs refuse to run as root.
    user = ["runuser", "-u", "postgres", "--"] if shutil.os.geteuid() == 0 else []
    run(*user, binary / "initdb", "-D", data / "db", "-A", "trust", "-U", "postgres", cwd="/")
    run(*user, binary / "pg_ctl", "-D", data / "db", "-w", "-l", data / "log",
        "-o", f"-k {data} -c listen_addresses= -c fsync=off -c timezone=UTC", "start", cwd="/")
    files.append((None, lambda: "", lambda: (
        run(*user, binary / "pg_ctl", "-D", data / "db", "-m", "immediate", "stop", cwd="/"),
        shutil.rmtree(data), [])[-1]))
    script = ["CREATE TEMP TABLE t (_id int, name text, age smallint, big bigint, ok boolean, score float8, "
              "tax numeric(10,2), born timestamptz, tag uuid, team int, note text);"]
    for row in ROWS:
        cells = ["NULL" if it is None else "'" + plain(it).replace("'", "''") + "'" for it in row]
        script.append(f"INSERT INTO t VALUES ({', '.join(cells)});")

    def copy(statement):
        return lambda path: path.write_text(run(
            binary / "psql", "-qX", "-h", data, "-U", "postgres", stdin="\n".join([*script, statement])))
    return [
        File("COPY TO (FORMAT csv, HEADER)", "person.csv", copy("COPY t TO STDOUT (FORMAT csv, HEADER);")),
        File("COPY TO (…, NULL 'NA')", "person.csv", copy("COPY t TO STDOUT (FORMAT csv, HEADER, NULL 'NA');"),
             "--null NA"),
        File("COPY TO (…, FORCE_QUOTE *)", "person.csv",
             copy("COPY t TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *);")),
        File("COPY TO (HEADER)", "person.tsv", copy("COPY t TO STDOUT (HEADER);"),
             "--escapes backslash --null \\N"),
        File("SELECT row_to_json", "person.ndjson", copy("\\pset tuples_only on\n\\pset format unaligned\n"
                                                         "SELECT row_to_json(t) FROM t;")),
        File("SELECT json_agg", "person.json", copy("\\pset tuples_only on\n\\pset format unaligned\n"
                                                    "SELECT json_agg(t) FROM t;")),
        File("psql --csv", "person.csv", copy("\\pset format csv\nSELECT * FROM t;"), known=EMPTY),
    ]


@program("R", lambda: run("Rscript", "-e", "cat(as.character(getRversion()))").strip())
def r():
    def script(statement):
        def make(path):
            run("Rscript", "-", stdin=f"""
t <- data.frame("_id" = 1:3, name = c("Ann", "", "Cy"), age = c(30L, NA, -5L), big = c(9007199254740992, NA, 3),
  ok = c(TRUE, NA, FALSE), score = c(1.5, NA, 1e19), tax = c(12.5, NA, 0.1),
  born = as.POSIXct(c("2024-05-01 09:00:00", NA, "1999-12-31 23:59:59"), tz = "UTC"),
  tag = c("{uuid.UUID(int=5)}", NA, "{uuid.UUID(int=6)}"), team = c(1L, NA, 2L),
  note = c('a "q", b', "line\\nbreak", "x;y\\tz"), check.names = FALSE)
path <- "{path}"
{statement}
""")
        return make
    known = {**BIG, "3.born": "1999-12-31T23:59:59Z"}
    return [
        File("write.csv(row.names=FALSE)", "person.csv", script("write.csv(t, path, row.names = FALSE)"),
             "--null NA --time-zone UTC", known),
        File("write.csv(row.names=FALSE, na='')", "person.csv",
             script("write.csv(t, path, row.names = FALSE, na = '')"), "--time-zone UTC", known),
        File("write.csv2(row.names=FALSE)", "person.csv", script("write.csv2(t, path, row.names = FALSE)"),
             "--null NA --time-zone UTC", refused="score"),
        File("write.table(sep='\\t', qmethod='double', row.names=FALSE)", "person.tsv",
             script("write.table(t, path, sep = '\\t', qmethod = 'double', row.names = FALSE)"),
             "--null NA --time-zone UTC", known),
    ]


def from_tsv(*command):
    """What a command makes of the table as TSV with escapes."""
    def make(path):
        rows = [[plain(it).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for it in row]
                for row in [COLUMNS, *ROWS]]
        path.write_text(run(*command, stdin="".join("\t".join(row) + "\n" for row in rows)))
    return make


@program("gawk", lambda: run("gawk", "--version").split()[2].strip(","))
def gawk():
    return [File("gawk -F '\\t' -v OFS='\\t' '{ $1 = $1 } 1'", "person.tsv",
                 from_tsv("gawk", "-F", "\t", "-v", "OFS=\t", "{ $1 = $1 } 1"), "--escapes backslash", EMPTY)]


@program("GNU datamash", first_words("datamash", "--version"))
def datamash():
    return [File("datamash -H rmdup 1", "person.tsv", from_tsv("datamash", "-H", "rmdup", "1"),
                 "--escapes backslash", EMPTY)]


def differences(lines):
    found = {it["_id"]: it for it in map(json.loads, lines.splitlines()) if it["_entity"] == "Person"}
    return {f"{key}.{name}": found.get(key, {}).get(name) for key, row in WANTED.items()
            for name, value in row.items()
            if found.get(key, {}).get(name) != value}


def check(stele, folder, file):
    """The reason why the file is refused, or what differs."""
    path = folder / file.name
    file.make(path)
    teams = folder / "team.json"
    teams.write_text('[{"_id": 1, "code": "A"}, {"_id": 2, "code": "B"}]')
    store = folder / "store.sqlite"
    done = subprocess.run([stele, "import", HERE / "model.json", "--store", store, teams, path,
                           *file.options.split()], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip() or done.stdout.strip(), {}
    return None, differences(run(stele, "export", HERE / "model.json", "--store", store))


def main():
    stele = pathlib.Path(sys.argv[1]).resolve()
    wrong = taken = refused = programs = 0
    print("| program | file | options | |\n| --- | --- | --- | --- |")
    at = 0
    while at < len(files):
        name, version, function = files[at]
        at += 1
        try:
            number = version()
        except (ImportError, OSError, IndexError, subprocess.CalledProcessError):
            print(f"skipped: {name} is not installed", file=sys.stderr)
            continue
        programs += name is not None
        for file in function():
            with tempfile.TemporaryDirectory() as folder:
                reason, found = check(stele, pathlib.Path(folder), file)
            is_right = (file.refused is None) == (reason is None) and found == file.known
            if reason is not None and file.refused:
                is_right = is_right and file.refused in reason
            wrong += not is_right
            taken += reason is None
            refused += reason is not None
            result = "taken" if reason is None else "refused: " + reason.splitlines()[0][:160]
            if found:
                result += "; " + ", ".join(f"{key} is {json.dumps(value)}" for key, value in found.items())
            print(f"| {name} {number} | `{file.what}` | `{file.options}` | {result} |"
                  + ("" if is_right else " WRONG"), flush=True)
    print(f"{programs} programs, {taken} files taken, {refused} refused, {wrong} not as expected", file=sys.stderr)
    return wrong > 0


sys.exit(main())
