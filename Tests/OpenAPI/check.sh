#!/bin/bash
# Checks /openapi.json of some models with tools from outside: openapi-spec-validator validates it,
# openapi-python-client makes a client of all of it, and schemathesis compares the answers to random
# requests with it. A tool that is not installed is skipped, and named. League and Tasks take one minute each, Shapes thirteen, Catalog longer.
#
#   Tests/OpenAPI/check.sh [MODEL…]     COUNT=20 SEED=1 STELE=.build/debug/stele
set -u
cd "$(dirname "$0")/../.."
stele=${STELE:-.build/debug/stele}
count=${COUNT:-20}
seed=${SEED:-$RANDOM}
[ $# -gt 0 ] || set -- League Tasks Shapes
folder=$(mktemp -d)
server=
failed=0
trap '[ -n "$server" ] && kill "$server"; rm -rf "$folder"' EXIT

# Whether a tool is installed. If not, it is named.
has() {
  command -v "$1" >/dev/null && return
  echo "skipped: $1 is not installed (pip install $1)"
  return 1
}

# Runs a command, and notes whether it fails.
run() {
  "$@" && return
  echo "FAILED: $*"
  failed=1
}

[ -x "$stele" ] || { echo "$stele is missing: swift build --product stele"; exit 1; }
echo "SEED=$seed"
for model in "$@"; do
  echo "== $model"
  path="Config/Models/$model.xcdatamodeld"
  store="$folder/$model.sqlite"
  # The keys by which the seed links its objects.
  case $model in
    League | LeagueManager) keys=(--key Team.name) ;;
    Catalog) keys=(--key Product.name --key Country.name --key Manufacturer.name) ;;
    Shapes) keys=(--key Shape.name --key Transform.scale --key Vertex.index) ;;
    Tasks) keys=(--key Location.name) ;;
    *) keys=() ;;
  esac
  if [ -d "Config/Seeds/$model" ]; then
    "$stele" import "$path" --store "$store" "${keys[@]}" "Config/Seeds/$model"/*.ndjson || exit 1
  fi
  "$stele" serve "$path" --store "$store" --port 0 >"$folder/log" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    url=$(grep -oE 'http://[0-9.]+:[0-9]+' "$folder/log" | head -1)
    [ -n "$url" ] && break
    sleep 0.1
  done
  [ -n "$url" ] || { cat "$folder/log"; exit 1; }
  document="$folder/$model.json"
  curl -sSf "$url/openapi.json" -o "$document" || exit 1
  if has openapi-spec-validator; then run openapi-spec-validator "$document"; fi
  if has openapi-python-client; then
    openapi-python-client generate --path "$document" --meta none --overwrite \
      --output-path "$folder/client" >"$folder/client.log" 2>&1
    if grep 'will not be generated' "$folder/client.log"; then
      cat "$folder/client.log"
      failed=1
    fi
    echo "$(ls "$folder"/client/api/*/*.py | grep -vc __init__) operations in the generated client"
  fi
  if has schemathesis; then
    if ! (cd "$folder" && schemathesis run "$url/openapi.json" -n "$count" --seed "$seed" --no-color \
      --phases examples,coverage,fuzzing,stateful --warnings off --continue-on-failure \
      --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method) \
      >"$folder/schemathesis" 2>&1; then
      cat "$folder/schemathesis"
      failed=1
    fi
    sed -n '/ SUMMARY /,$p' "$folder/schemathesis"
  fi
  kill "$server" && wait "$server" 2>/dev/null
  server=
done
exit $failed
