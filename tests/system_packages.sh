#!/usr/bin/env bash
# Gets the programs that tests use for real, a browser and PostgreSQL, where it may: as root from
# the system's packages, a browser else by Playwright's own installer. Where it may not, it says so
# in one line, and the tests that need them are skipped (see tests/system_programs.py).
set -uo pipefail
cd "$(dirname "$0")/.."

has_postgresql() {
    command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null
}

has_browser() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
        command -v google-chrome >/dev/null ||
        compgen -G "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}/chromium-*" >/dev/null
}

missing=()
has_browser || missing+=(chromium)
has_postgresql || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install --yes --no-install-recommends "${missing[@]}"; } \
        >/dev/null 2>&1
fi
has_browser || .venv/bin/playwright install chromium >/dev/null 2>&1

still=()
has_browser || still+=(chromium)
has_postgresql || still+=(postgresql)
if [ ${#still[@]} -gt 0 ]; then
    echo "Tests that need ${still[*]} will be skipped. To run them, as root:" \
        "apt-get install ${still[*]}"
fi
