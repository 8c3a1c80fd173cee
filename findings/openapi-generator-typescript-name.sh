#!/bin/sh
# openapi-generator 7.26.0, typescript-fetch: a property overwrites a schema of the document.
#
# Recipe has a property `type` that is one of an id and an object of the schema RecipeType. For a
# choice without a name the generator makes one of the schema and the property: RecipeType, although
# the document has a schema of that name. Its file models/RecipeType.ts then has the choice, which
# imports itself, and the real RecipeType is gone. There is no warning, and the client does not
# compile. The same choice with a `title` has that as its name, and compiles.
# Needs a Java runtime, and Debian's node-typescript.
set -eu
version=7.26.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip install -q "openapi-generator-cli==$version"

# make NAME TITLE: generates a client, and compiles it.
make() {
    cat > "$1.json" << JSON
{"openapi": "3.1.0", "info": {"title": "Recipes", "version": "1"}, "servers": [{"url": "/"}],
 "paths": {"/recipe": {"get": {"operationId": "getRecipe", "tags": ["Recipe"], "responses":
  {"200": {"description": "It.", "content": {"application/json":
   {"schema": {"\$ref": "#/components/schemas/Recipe"}}}}}}}},
 "components": {"schemas": {
  "Recipe": {"type": "object", "properties": {"type": {$2 "oneOf":
   [{"type": "integer"}, {"\$ref": "#/components/schemas/RecipeType"}]}}},
  "RecipeType": {"type": "object", "properties": {"name": {"type": "string"}}}}}}
JSON
    tools/bin/openapi-generator-cli generate -i "$1.json" -g typescript-fetch -o "$1" > "$1.log" 2>&1
    tsc --target es2020 --module commonjs --lib es2020,dom --outDir "built-$1" "$1/index.ts" \
        > "$1.errors" && echo "$1: compiles" || echo "$1: $(wc -l < "$1.errors") errors"
}
echo "version: openapi-generator-cli $version, TypeScript $(tsc --version | cut -d ' ' -f 2)"
make plain '' > printed
make titled '"title": "Kind",' >> printed
cat printed
grep -E "conflicts|circular" plain.errors | head -n 3
grep -q "^plain: [1-9].* errors$" printed
grep -q "^titled: compiles$" printed
grep -q "models/RecipeType.ts.*Import declaration conflicts with local declaration" plain.errors
if grep -q "name" plain/models/RecipeType.ts; then exit 1; fi
echo "as found: RecipeType of the document is overwritten by the property type of Recipe"
