#!/bin/sh
# Debian 12's sqlite3 3.40.1-2+deb12u2: `.recover` fails on a healthy database.
#
# The shell has the command, and is linked with the distribution's libsqlite3. The command reads the
# pages by the virtual table sqlite_dbpage, and that library is built without it
# (SQLITE_ENABLE_DBPAGE_VTAB). So `.recover` prints the first pragmas and ends with "SQL logic error",
# whatever the database, as if that were damaged. The shell of sqlite.org is built with the table.
# `.dump` works. Docs/Operations.md (Recovery) names the way.
set -eu
version=3.40.1-2+deb12u2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -o APT::Sandbox::User=root "sqlite3=$version" "libsqlite3-0=$version" > /dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
library=$(dirname "$(find root -name 'libsqlite3.so.0' | head -n 1)")
shell() { LD_LIBRARY_PATH="$library" root/usr/bin/sqlite3 "$@"; }
shell healthy.db "CREATE TABLE t (a); INSERT INTO t VALUES (1)"

echo "version: $(shell --version | cut -d ' ' -f 1), of $version"
echo "integrity_check: $(shell healthy.db 'PRAGMA integrity_check')"
echo "the table: $(shell healthy.db 'SELECT count(*) FROM sqlite_dbpage' 2>&1 || true)"
status=0
printed=$(shell healthy.db .recover 2>&1) || status=$?
echo ".recover ends with status $status:"
echo "$printed"

[ "$(shell healthy.db 'PRAGMA integrity_check')" = ok ]
[ "$status" = 1 ]
echo "$printed" | grep -q "sql error: SQL logic error (1)"
if echo "$printed" | grep -q "INSERT"; then exit 1; fi
shell healthy.db 'SELECT count(*) FROM sqlite_dbpage' 2>&1 | grep -q "no such table"
shell healthy.db .dump | grep -q "INSERT INTO t VALUES(1);"
echo "as found: .recover fails on a healthy database, and .dump does not"
