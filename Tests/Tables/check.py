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

import json
import pathlib
import subprocess
import sys
import tempfile

import packages  # Registers its programs, as the next one does.
import commands
from table import WANTED, files, run

HERE = pathlib.Path(__file__).parent


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
    for name, version, function in files:
        try:
            number = version()
        except (ImportError, OSError, IndexError, subprocess.CalledProcessError):
            print(f"skipped: {name} is not installed", file=sys.stderr)
            continue
        programs += 1
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
