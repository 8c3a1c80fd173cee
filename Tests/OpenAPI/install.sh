#!/usr/bin/env bash
# Installs what GeneratedClientTests needs: generators of clients from PyPI in .build/clients, and from
# Debian the compilers of their languages, which only root can install. What is missing is skipped
# there, and named.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(golang-go node-typescript nodejs libhttpclient-java libhttpmime-java libjsr305-java
    libgeronimo-annotation-1.3-spec-java)
command -v javac >/dev/null || packages+=(default-jdk-headless)
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
command -v node >/dev/null && packages=("${packages[@]/#nodejs}")
missing=()
for package in ${packages[@]}; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive \
        apt-get install -qy --no-install-recommends "${missing[@]}"; }; then
        echo "warning: not installed, which root can do: apt-get install ${missing[*]}" >&2
    fi
fi
[ -x .build/clients/bin/python ] || python3 -m venv .build/clients
.build/clients/bin/pip install -q -r Tests/OpenAPI/requirements.txt
.build/clients/bin/python Tests/OpenAPI/clients.py --missing
