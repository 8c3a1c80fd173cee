"""Programs with a command line."""

import atexit
import json
import os
import pathlib
import shutil
import tempfile
import uuid

from table import (BIG, COLUMNS, EMPTY, ROWS, File, first_words, from_csv, from_json, from_tsv, plain, program, run)


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
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    run(*user, binary / "initdb", "-D", data / "db", "-A", "trust", "-U", "postgres", cwd="/")
    run(*user, binary / "pg_ctl", "-D", data / "db", "-w", "-l", data / "log",
        "-o", f"-k {data} -c listen_addresses= -c fsync=off -c timezone=UTC", "start", cwd="/")
    atexit.register(lambda: (run(*user, binary / "pg_ctl", "-D", data / "db", "-m", "immediate", "stop", cwd="/"),
                             shutil.rmtree(data)))
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


@program("gawk", lambda: run("gawk", "--version").split()[2].strip(","))
def gawk():
    return [File("gawk -F '\\t' -v OFS='\\t' '{ $1 = $1 } 1'", "person.tsv",
                 from_tsv("gawk", "-F", "\t", "-v", "OFS=\t", "{ $1 = $1 } 1"), "--escapes backslash", EMPTY)]


@program("GNU datamash", first_words("datamash", "--version"))
def datamash():
    return [File("datamash -H rmdup 1", "person.tsv", from_tsv("datamash", "-H", "rmdup", "1"),
                 "--escapes backslash", EMPTY)]
