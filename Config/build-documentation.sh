#!/usr/bin/env bash
# Builds the reference of the library with DocC: the comments of the sources, and the articles of
# Sources/Stele/Stele.docc. It reads the modules of a debug build, and comments at the places in the
# sources that the modules name, so `swift build` comes first. A warning is an error, such as a link
# to a symbol that does not exist.
#
#   Config/build-documentation.sh OUTPUT [OPTION…]     MODULES=.build/debug/Modules
#
# OUTPUT is a folder for the files of a web site. Options are those of `docc convert`, such as
# --hosting-base-path.
set -euo pipefail

fail() {
    echo "$1" >&2
    exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
modules=${MODULES:-$root/.build/debug/Modules}
[ $# -gt 0 ] || fail "usage: Config/build-documentation.sh OUTPUT [OPTION…]"
output=$1
shift

swift=$(command -v swift) || fail "swift is not in PATH"
docc=$(dirname "$(readlink -f "$swift")")/docc
[ -x "$docc" ] || fail "docc is missing: it belongs to Swift's toolchain, beside $swift"
[ -e "$modules/Stele.swiftmodule" ] || fail "$modules has no module Stele: run swift build first"
# docc replaces the whole folder.
if [ -n "$(ls -A "$output" 2>/dev/null)" ] && [ ! -e "$output/documentation" ]; then
    fail "$output has other files: name a folder that is new, empty or of an earlier run"
fi

graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

includes=(-I "$modules")
for map in "$root"/Sources/C*/module.modulemap; do includes+=(-I "$(dirname "$map")"); done

# One graph of Stele and of all that it exports, because an archive of DocC has one module.
exports=$root/Sources/Stele/Exports.swift
exported=$(sed -n 's/^@_exported import \(Stele[A-Za-z]*\)$/\1/p' "$exports" | paste -sd,)
"$swift" symbolgraph-extract -module-name Stele "${includes[@]}" -output-dir "$graphs" \
    -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
    -experimental-allowed-reexported-modules="$exported"

mkdir -p "$(dirname "$output")"
"$docc" convert "$root/Sources/Stele/Stele.docc" --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name Stele --fallback-bundle-identifier stele \
    --fallback-default-module-kind Library --warnings-as-errors --output-dir "$output" "$@"

echo "To read it: python3 -m http.server -d '$output', then localhost:8000/documentation/stele"
