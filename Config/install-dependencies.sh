#!/usr/bin/env bash
# Installs the C libraries that Stele needs and pkg-config does not find. Prints nothing otherwise.
set -euo pipefail

# The pkg-config name of a library, and the Debian package with its headers.
libraries=(
    sqlite3:libsqlite3-dev
    libmicrohttpd:libmicrohttpd-dev
    gnutls:libgnutls28-dev
    jansson:libjansson-dev
    libpq:libpq-dev
    zlib:zlib1g-dev
    expat:libexpat1-dev
)

missing=()
command -v pkg-config >/dev/null || missing+=(pkg-config)
for library in "${libraries[@]}"; do
    pkg-config --exists "${library%:*}" 2>/dev/null || missing+=("${library#*:}")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "Stele needs these Debian packages or their equivalents: ${missing[*]}" >&2
    exit 1
elif [ "$(id -u)" -ne 0 ]; then
    echo "Stele needs ${missing[*]}. Install them, then run this again:" >&2
    echo "sudo sh -c 'apt-get update && apt-get install -y ${missing[*]}'" >&2
    exit 1
fi

# --no-upgrade keeps installed versions: without pkg-config every library counts as missing.
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends --no-upgrade "${missing[@]}"
