#!/bin/sh
# PyPI's pandas 3.1.1: `read_json` makes another integer of 4.611686018427387904e18, and refuses
# 18446744073709551616.0.
#
# 2 to the power of 62 is a Double exactly. It is read with 16 of its digits, since precise_float is
# false by default, and then, being whole, becomes an int64 that looks exact: it is 512 too small. A
# number whose integer part is beyond 64 bits is "Value is too big!", also where it is a real number;
# with an exponent the same number is read. Docs/ImportExport.md names what follows from both.
set -eu
version=3.1.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip -q install --disable-pip-version-check "pandas==$version"
cat > read.py <<'PYTHON'
import io
import json

import pandas


def read(number, **options):
    try:
        column = pandas.read_json(io.StringIO(f'[{{"a":{number}}}]'), **options)["a"]
        return f"{column.dtype} {column[0]}"
    except ValueError as error:
        return f"ValueError {error}"


print("version:", pandas.__version__)
for number in ["4.611686018427387904e18", "18446744073709551616.0", "1.8446744073709551616e19"]:
    print(f"{number}: {read(number)}")
    print(f"  with precise_float=True: {read(number, precise_float=True)}")
    print(f"  with Python's json: {int(json.loads(number))}")
PYTHON
venv/bin/python read.py | tee printed

has() { grep -qF -- "$1" printed; }
has "version: $version"
has "4.611686018427387904e18: int64 4611686018427387392"
has "with precise_float=True: int64 4611686018427387904"
has "18446744073709551616.0: ValueError Value is too big! at position 5"
has "1.8446744073709551616e19: float64 1.8446744073709552e+19"
echo "as found: 2^62 is read as 4611686018427387392, and 2^64 only with an exponent"
