# The programmer of a swarm. Everybody there appends to channel.jsonl, and looks for their own handle in it.

say() {
    echo '{"ts":"'"$(date -u +%Y-%m-%dT%H:%M:%S.000Z)"'","from":"programmer","to":["'"$1"'"],"type":"'"$2"'","reasoning":"'"$3"'","content":"'"$4"'"}' >> channel.jsonl
}

hear() {
    until grep -s '"@programmer"' channel.jsonl | grep -q "$1"; do sleep 0.05; done
}

hear 'ASSIGN:#12'
say @mona task 'Confirming receipt.' 'ACK: Claimed task #12.'
say @claude-research-1 request 'A note needs facts.' 'What is new since 1.1?'

hear '"from":"claude-research-1"'
say @ceo task 'The facts are in.' 'HANDOFF: Task #12, for your eyes: Version 1.2 has three bugs less, and export is twice as fast.'

hear 'REWORK:#12'
say @ceo task 'A fair point.' 'ACK: Claimed task #12 again.'
say @ceo task 'One sentence was missing.' 'HANDOFF: Task #12: Version 1.2 has three bugs less, export is twice as fast, and files of 1.1 still open.'

hear 'ACCEPT:#12'
say @clawdy task 'It is signed off.' 'HANDOFF: Task #12, the release note. Please publish it.'

until grep -qs 'Thank you' channel.jsonl; do sleep 0.05; done
