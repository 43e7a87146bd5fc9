# Clawdy, the second of a pair. A file that is moved into inbox/ wakes him; what he says stands in chat.log.

say() {
    echo "$(date -u '+%Y-%m-%d %H:%M:%S') CLAWDY -> $1" >> chat.log
}

hear() {
    until cat inbox/msg_*.txt 2>/dev/null | grep -q "$1"; do sleep 0.05; done
    rm inbox/msg_*.txt
}

hear '^\[HANDOFF:12\]'
say 'PROGRAMMER: [ACK:12] Publishing.'
say 'MONA: [DONE:12] The note is on the website.'

hear 'Thank you'
