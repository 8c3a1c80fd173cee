// A table as other programs write it to a file.

import Foundation
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

/// A table that pandas 3.1.1, polars 2.1.0, DuckDB 2.0.1 and Python 3.11 have written, each in its
/// own way.
struct ToolFile: Sendable, CustomTestStringConvertible {
    let tool: String
    let name: String
    let text: String
    var options = ImportOptions()
    /// The second name and the second note, which some tools write as null, or with other digits.
    var empty = Value.string("")
    var big: Int64 = 9_007_199_254_740_993

    var testDescription: String { "\(tool): \(name)" }

    private static let ids = [
        "00000000-0000-0000-0000-000000000005", "00000000-0000-0000-0000-000000000006",
    ]

    private init(
        _ tool: String, _ name: String, _ text: String, empty: Value = .string(""),
        big: Int64 = 9_007_199_254_740_993, _ change: (inout ImportOptions) -> Void = { _ in }
    ) {
        self.tool = tool
        self.name = name
        self.text = text
        self.empty = empty
        self.big = big
        change(&options)
    }

    static let columns = [
        "_id", "name", "age", "big", "ok", "score", "tax", "born", "tag", "team", "note",
    ]

    /// A table of cells: `~` is a place for the separator.
    private static func cells(
        _ rows: [String], _ separator: String, header: String? = nil, end: String = "\n"
    ) -> String {
        ([header ?? columns.joined(separator: "~")] + rows).map { $0 + end }.joined()
            .replacing("~", with: separator)
    }

    /// Rows of pandas: floats where a column has a null.
    private static func pandas(_ null: String = "", zone: String = "+00:00") -> [String] {
        [
            "1~Ann~30.0~9007199254740992.0~True~1.5~12.50~2024-05-01 09:00:00.000000\(zone)~\(ids[0])~1.0~\"a \"\"q\"\", b\"",
            "2~" + String(repeating: "~" + null, count: 8) + "~\"line\nbreak\"",
            "3~Cy~-5.0~3.0~False~1e+19~0.10~1999-12-31 23:59:59.123456\(zone)~\(ids[1])~2.0~\"x;y\tz\"",
        ]
    }

    private static func polars(_ empty: String = "\"\"", _ null: String = "") -> [String] {
        [
            "1~Ann~30~9007199254740993~true~1.5~12.50~2024-05-01T09:00:00.000000+0000~\(ids[0])~1~\"a \"\"q\"\", b\"",
            "2~\(empty)" + String(repeating: "~" + null, count: 8) + "~\"line\nbreak\"",
            "3~Cy~-5~3~false~1e+19~0.10~1999-12-31T23:59:59.123456+0000~\(ids[1])~2~\"x;y\tz\"",
        ]
    }

    private static func duckDB(
        _ empty: String = "\"\"", _ null: String = "", zone: String = "+00"
    ) -> [String] {
        polars(empty, null).map {
            $0.replacing("T09:00:00.000000+0000", with: " 09:00:00\(zone)")
                .replacing("T23:59:59.123456+0000", with: " 23:59:59.123456\(zone)")
        }
    }

    private static func python(_ boolean: String = "") -> [String] {
        [
            "1~Ann~30~9007199254740993~True~1.5~12.50~2024-05-01 09:00:00+00:00~\(ids[0])~1~\"a \"\"q\"\", b\"",
            "2~~~~~~~~~~\"line\nbreak\"",
            "3~Cy~-5~3~False~1e+19~0.10~1999-12-31 23:59:59.123456+00:00~\(ids[1])~2~\"x;y\tz\"",
        ]
    }

    private static func quoted(_ rows: [String]) -> [String] {
        rows.map { row in
            row.split(separator: "~", omittingEmptySubsequences: false).map {
                $0.hasPrefix("\"") ? String($0) : "\"\($0)\""
            }.joined(separator: "~")
        }
    }

    private static func lines(date: (String, String), float: String = "", tax: String = "\"12.50\"")
        -> [String]
    {
        [
            #"{"_id":1,"name":"Ann","age":30\#(float),"big":9007199254740992\#(float),"ok":true,"score":1.5,"tax":\#(tax),"born":\#(date.0),"tag":"\#(ids[0])","team":1\#(float),"note":"a \"q\", b"}"#,
            #"{"_id":2,"name":"","age":null,"big":null,"ok":null,"score":null,"tax":null,"born":null,"tag":null,"team":null,"note":"line\nbreak"}"#,
            #"{"_id":3,"name":"Cy","age":-5\#(float),"big":3\#(float),"ok":false,"score":1e+19,"tax":"0.10","born":\#(date.1),"tag":"\#(ids[1])","team":2\#(float),"note":"x;y\tz"}"#,
        ]
    }

    static var all: [ToolFile] {
        let exact: Int64 = 9_007_199_254_740_992
        let comma = { (rows: [String]) in cells(rows, ",") }
        let utc = ZoneRules(offset: 0)
        let space = ("\"2024-05-01 09:00:00+00:00\"", "\"1999-12-31 23:59:59.123456+00:00\"")
        return [
            ToolFile("pandas", "person.csv", comma(pandas()), empty: .null, big: exact),
            ToolFile("pandas sep=;", "person.csv", cells(pandas(), ";"), empty: .null, big: exact),
            ToolFile(
                "pandas sep=tab", "person.tsv", cells(pandas(), "\t"), empty: .null, big: exact),
            ToolFile(
                "pandas sep=tab, named .csv", "person.csv", cells(pandas(), "\t"), empty: .null,
                big: exact),
            ToolFile(
                "pandas with an index", "person.csv",
                cells(
                    pandas().enumerated().map { "\($0)~\($1)" }, ",",
                    header: "~" + columns.joined(separator: "~")),
                empty: .null, big: exact
            ) { $0.ignoresUnknownKeys = true },
            ToolFile("pandas QUOTE_ALL", "person.csv", comma(quoted(pandas())), big: exact),
            ToolFile("pandas na_rep=NA", "person.csv", comma(pandas("NA")), big: exact) {
                $0.nulls = [(nil, "NA")]
            },
            ToolFile(
                "pandas without zone", "person.csv", comma(pandas(zone: "")), empty: .null,
                big: exact
            ) {
                $0.timeZone = utc
            },
            ToolFile("polars", "person.csv", comma(polars())),
            ToolFile("polars separator=;", "person.csv", cells(polars(), ";")),
            ToolFile("polars separator=|", "person.csv", cells(polars(), "|")) {
                $0.separator = UInt8(ascii: "|")
            },
            ToolFile("polars null_value=NA", "person.csv", comma(polars("\"\"", "NA"))) {
                $0.nulls = [(nil, "NA")]
            },
            ToolFile("polars quote_style=always", "person.csv", comma(quoted(polars()))),
            ToolFile("DuckDB", "person.csv", comma(duckDB())),
            ToolFile("DuckDB delimiter tab", "person.tsv", cells(duckDB(), "\t")),
            ToolFile("DuckDB nullstr NA", "person.csv", comma(duckDB("", "NA"))) {
                $0.nulls = [(nil, "NA")]
            },
            ToolFile("DuckDB timestamp", "person.csv", comma(duckDB(zone: ""))) {
                $0.timeZone = utc
            },
            ToolFile("Python csv", "person.csv", cells(python(), ",", end: "\r\n"), empty: .null),
            ToolFile("Python csv, unix", "person.csv", comma(quoted(python()))),
            ToolFile(
                "Python csv, excel-tab", "person.tsv", cells(python(), "\t", end: "\r\n"),
                empty: .null),
            ToolFile(
                "Python json", "person.json",
                "[" + lines(date: space).joined(separator: ", ") + "]", big: exact),
            ToolFile(
                "pandas to_json, iso", "person.ndjson",
                lines(
                    date: ("\"2024-05-01T09:00:00.000Z\"", "\"1999-12-31T23:59:59.123456Z\""),
                    float: ".0"
                )
                .joined(separator: "\n"), big: exact),
            ToolFile(
                "pandas to_json, epoch", "person.json",
                "["
                    + lines(date: ("1714554000000", "946684799123.456"), float: ".0").joined(
                        separator: ",") + "]",
                big: exact
            ) { $0.dates = .milliseconds },
            ToolFile(
                "pandas to_json, seconds", "person.ndjson",
                lines(date: ("1714554000", "946684799.123456")).joined(separator: "\n"), big: exact
            ) { $0.dates = .seconds },
            ToolFile(
                "DuckDB json", "person.json",
                "[\n\t"
                    + lines(
                        date: ("\"2024-05-01 09:00:00+00\"", "\"1999-12-31 23:59:59.123456+00\""),
                        tax: "12.5"
                    )
                    .joined(separator: ",\n\t") + "\n]\n", big: exact),
            ToolFile(
                "Miller --otsv, jq @tsv", "person.tsv",
                [
                    columns.joined(separator: "\t"),
                    "1\tAnn\t30\t9007199254740993\ttrue\t1.5\t12.50\t2024-05-01T09:00:00Z\t\(ids[0])\t1\ta \"q\", b",
                    "2\t\t\t\t\t\t\t\t\t\tline\\nbreak",
                    "3\tCy\t-5\t3\tfalse\t1e19\t0.10\t1999-12-31T23:59:59.123456Z\t\(ids[1])\t2\tx;y\\tz",
                ].joined(separator: "\n"), empty: .null
            ) { $0.escapes = .backslash },
            ToolFile(
                "COPY TO of PostgreSQL, header", "person.tsv",
                [
                    columns.joined(separator: "\t"),
                    "1\tAnn\t30\t9007199254740993\tt\t1.5\t12.50\t2024-05-01 09:00:00+00\t\(ids[0])\t1\ta \"q\", b",
                    "2\t" + String(repeating: "\t\\N", count: 8) + "\tline\\nbreak",
                    "3\tCy\t-5\t3\tf\t1e+19\t0.10\t1999-12-31 23:59:59.123456+00\t\(ids[1])\t2\tx;y\\tz",
                ].joined(separator: "\n")
            ) {
                $0.escapes = .backslash
                $0.nulls = [(nil, "\\N")]
            },
            ToolFile(
                "Excel, German", "person.csv",
                cells(
                    [
                        "1~Ann~30~9007199254740993~TRUE~1.5~12.50~2024-05-01T09:00:00Z~\(ids[0])~1~\"a \"\"q\"\", b\"",
                        "2~~~~~~~~~~\"line\nbreak\"",
                        "3~Cy~-5~3~FALSE~1E+19~0.10~1999-12-31T23:59:59.123456Z~\(ids[1])~2~\"x;y\tz\"",
                    ], ";", header: "\u{FEFF}" + columns.joined(separator: "~"), end: "\r\n"),
                empty: .null),
        ]
    }
}
