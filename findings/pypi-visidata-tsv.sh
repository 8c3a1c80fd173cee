#!/bin/sh
# PyPI's visidata 3.4: `vd -b table.csv -o table.tsv` writes the tabs and line ends of cells as they
# are, and reads its own file as another table.
#
# The options tsv_safe_tab and tsv_safe_newline, "replacement for tab character when saving to tsv",
# have defaults (U+001F and U+001E), which the names of columns get and the cells do not. A table of
# one row and two columns is one of two rows and three columns when VisiData opens what it has saved.
# Docs/ImportExport.md has the formats in which its tables are whole: csv, json and jsonl.
set -eu
version=3.4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME="$folder"
python3 -m venv venv
venv/bin/pip -q install --disable-pip-version-check "visidata==$version"
printf 'id,note\n1,"one\ttwo\nthree"\n' > table.csv

vd() { venv/bin/vd -b "$@" < /dev/null > /dev/null 2>&1; }
echo "version: $(venv/bin/pip show visidata | grep Version)"
vd table.csv -o table.json
vd table.csv -o table.tsv
vd table.tsv -o again.json
echo "the table, as JSON:"; cat table.json
echo "the table, as TSV:"; cat -A table.tsv
echo "that TSV, as JSON:"; cat again.json

grep -qF '{"id": "1", "note": "one\ttwo\nthree"}' table.json
[ "$(wc -l < table.tsv)" = 3 ]
[ "$(grep -c '"id"' again.json)" = 2 ]
grep -qF '"id": "three"' again.json
echo "as found: a row with a tab and a line end comes back as two"
