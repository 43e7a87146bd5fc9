#!/bin/sh
# Bring strace, which injects faults into system calls for some tests.
# Install it where we may; elsewhere say so in one line. Never fail: those tests skip themselves.
set -eu

command -v strace >/dev/null 2>&1 && exit 0

install_strace() {
    apt-get -o DPkg::Lock::Timeout=60 install -y -qq --no-install-recommends strace
}

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo 'installing strace'
    export DEBIAN_FRONTEND=noninteractive
    { install_strace || { apt-get update -qq && install_strace; }; } </dev/null >/dev/null 2>&1 && exit 0
fi

echo 'strace is missing, so the tests that inject faults are skipped; install it with your package manager'
