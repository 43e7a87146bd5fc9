#!/bin/sh
# Bring the programs that some tests use: strace injects faults into system calls, jq reads what we write as
# people do, faketime moves the clock, mkfs.xfs makes a disk to cut the power of, nc speaks to a socket,
# inotifywait watches a folder as agents do.
# Install what is missing where we may; elsewhere say so in one line. Never fail: those tests skip themselves.
set -eu

wanted=
for pair in strace:strace jq:jq faketime:faketime mkfs.xfs:xfsprogs nc:netcat-openbsd inotifywait:inotify-tools; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || [ -x "/sbin/${pair%%:*}" ] || wanted="$wanted ${pair##*:}"
done
[ -n "$wanted" ] || exit 0

bring() {
    # shellcheck disable=SC2086 # one word a package
    apt-get -o DPkg::Lock::Timeout=60 install -y -qq --no-install-recommends $wanted
}

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$wanted"
    export DEBIAN_FRONTEND=noninteractive
    { bring || { apt-get update -qq && bring; }; } </dev/null >/dev/null 2>&1 && exit 0
fi

echo "missing:$wanted; the tests that need it are skipped; install it with your package manager"
