#!/usr/bin/env bash
# Installs what the tests of the page need: Chromium from Debian, and playwright and axe from PyPI in
# .build/page. Without them these tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v chromium >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium
fi
python3 -c 'import ensurepip' 2>/dev/null \
    || DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3-venv
[ -x .build/page/bin/python ] || python3 -m venv .build/page
.build/page/bin/pip install -q 'playwright>=1.50' 'axe-playwright-python>=0.1.4'
