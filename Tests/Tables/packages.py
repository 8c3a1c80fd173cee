"""Programs of Python: packages, and the language itself."""

import csv
import json
import pathlib
import sys
import uuid

from table import BIG, COLUMNS, EMPTY, MILLIS, ROWS, File, distribution, from_csv, module, plain, program


@program("pandas", module("pandas"))
def pandas():
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
