#!/bin/sh
# Debian 12's miller 6.6.0-2+b3: `mlr --json cat` makes texts of integers beyond Int64.
#
# 9223372036854775808 and 18446744073709551616 in JSON are printed with quotes, so a program that
# reads the output finds a text where the input has a number, and a sum with one is (error). Such an
# integer of CSV becomes a text of JSON as well. 9223372036854775807 stays a number as it is written,
# and so does 1.8446744073709551616e19. Docs/HTTP.md has the form that Stele writes.
set -eu
version=6.6.0-2+b3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -o APT::Sandbox::User=root "miller=$version" > /dev/null
dpkg -x ./miller_*.deb root
mlr() { root/usr/bin/mlr "$@"; }

echo "version: $(mlr --version), of $version"
echo '{"a":9223372036854775807,"b":9223372036854775808,"c":18446744073709551616,"d":1.8446744073709551616e19}' > in.json
mlr --ijson --ojsonl cat in.json | tee printed
mlr --ijson --ojsonl put -q 'emit {"sum": $b + 1}' in.json | tee sum

grep -qF '{"a": 9223372036854775807, "b": "9223372036854775808", "c": "18446744073709551616", "d": 1.8446744073709551616e19}' printed
grep -qF '{"sum": (error)}' sum
echo "as found: an integer beyond Int64 becomes a text"
