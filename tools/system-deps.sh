#!/bin/sh
# Bring the programs that the tests use: strace injects faults into system calls, jq reads what we write as
# people do, faketime moves the clock, mkfs.xfs makes a disk to cut the power of, nc speaks to a socket,
# inotifywait watches a folder as agents do, busybox is the smallest shell that may be sh, chromium shows the
# dashboard.
# Install what is missing where we may; elsewhere say so in one line. Without the first ones some tests skip
# themselves; without a browser this fails, because a page that nobody looked at is not tested.
set -eu

PYTHON=${PYTHON:-.venv/bin/python}

wanted=
for pair in strace:strace jq:jq curl:curl faketime:faketime mkfs.xfs:xfsprogs nc:netcat-openbsd inotifywait:inotify-tools busybox:busybox; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || [ -x "/sbin/${pair%%:*}" ] || wanted="$wanted ${pair##*:}"
done
"$PYTHON" tools/browser.py >/dev/null 2>&1 && browser=yes || browser=

bring() {
    # shellcheck disable=SC2086 # one word a package
    apt-get -o DPkg::Lock::Timeout=60 install -y -qq --no-install-recommends "$@"
}

installed() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    echo "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    { bring "$@" || { apt-get update -qq && bring "$@"; }; } </dev/null >/dev/null 2>&1
}

# shellcheck disable=SC2086 # one word a package
if [ -n "$wanted" ] && ! installed $wanted; then
    echo "missing:$wanted; the tests that need it are skipped; install it with your package manager"
fi
[ -n "$browser" ] && exit 0

# The distribution's own first, by both of its names; then the one that Playwright brings.
installed chromium fonts-dejavu-core || installed chromium-browser fonts-dejavu-core || {
    echo "installing Playwright's chromium"
    "$PYTHON" -m playwright install --with-deps chromium </dev/null >/dev/null 2>&1 ||
        "$PYTHON" -m playwright install chromium </dev/null >/dev/null 2>&1 || true
}
"$PYTHON" tools/browser.py >/dev/null || { "$PYTHON" tools/browser.py; exit 1; }
