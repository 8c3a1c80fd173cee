#!/bin/sh
# openapi-python-client 0.29.1: an operation whose body is an object or, as another media type, an
# array makes a client that does not import, or that fails in every call.
#
# PATCH takes application/json (an object) or application/json-patch+json (RFC 6902, an array of
# operations), as many services do. The generator gives no warning.
# - Without optional parameters, the module of the operation uses `Unset` without importing it:
#   NameError on import.
# - With one, it imports. But it chooses the media type by `isinstance(body, list[Operation])`, which
#   Python refuses whatever the body is: "isinstance() argument 2 cannot be a parameterized generic".
#   So neither the array nor the object can be sent.
set -eu
version=0.29.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip install -q "openapi-python-client==$version"
# The generator calls ruff, which it brings.
PATH="$PWD/tools/bin:$PATH"

cat > use.py << 'PYTHON'
import sys

sys.path.insert(0, sys.argv[1])
try:
    from client import Client
    from client.api.thing import change_thing
    from client.models import Operation, Thing
except Exception as error:
    sys.exit(f"import: {type(error).__name__}: {error}")
client = Client(base_url="http://127.0.0.1:9")
for body in Thing(name="a"), [Operation(op="remove", path="/name")]:
    try:
        change_thing.sync_detailed(client=client, body=body)
        print("sent")
    except Exception as error:
        print(f"{type(body).__name__}: {type(error).__name__}: {error}")
PYTHON

# try NAME PARAMETERS: makes a client, and sends both bodies with it.
try() {
    mkdir "$1"
    cat > "$1/document.json" << JSON
{"openapi": "3.1.0", "info": {"title": "Things", "version": "1"},
 "paths": {"/thing": {"patch": {"operationId": "changeThing", "tags": ["thing"],
  "parameters": [$2],
  "requestBody": {"required": true, "content": {
   "application/json": {"schema": {"\$ref": "#/components/schemas/Thing"}},
   "application/json-patch+json": {"schema": {"type": "array",
    "items": {"\$ref": "#/components/schemas/Operation"}}}}},
  "responses": {"204": {"description": "Done."}}}}},
 "components": {"schemas": {
  "Thing": {"type": "object", "properties": {"name": {"type": "string"}}},
  "Operation": {"type": "object", "required": ["op", "path"], "properties":
   {"op": {"type": "string"}, "path": {"type": "string"}, "value": {}}}}}}
JSON
    tools/bin/openapi-python-client generate --path "$1/document.json" --meta none \
        --output-path "$1/client" > "$1/log" 2>&1
    echo "$1, $(grep -ci warning "$1/log" || true) warnings:"
    tools/bin/python use.py "$1" 2>&1 || true
}
echo "version: openapi-python-client $version, $(python3 --version)"
try plain '' > plain.printed
try parameter '{"name": "If-Match", "in": "header", "schema": {"type": "string"}}' > parameter.printed
cat plain.printed parameter.printed
grep -q "^plain, 0 warnings:$" plain.printed
grep -q "^import: NameError: name 'Unset' is not defined" plain.printed
grep -q "^parameter, 0 warnings:$" parameter.printed
refusal="TypeError: isinstance() argument 2 cannot be a parameterized generic"
[ "$(grep -c "$refusal" parameter.printed)" = 2 ]
echo "as found: the client does not import, or cannot send either body"
