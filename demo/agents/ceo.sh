# The CEO of a company of factories. All mail stands in .work/messages.jsonl, one JSON object a line.

say() {
    echo '{"id":"msg-ceo-'"$1"'","from":"ceo","to":"programmer","subject":"'"$2"'","body":"'"$3"'","timestamp":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","type":"'"$4"'","metadata":{"work_order_id":"12"}}' >> .work/messages.jsonl
}

hear() {
    until [ "$(grep -s '"to":"ceo"' .work/messages.jsonl | grep -c '"HANDOFF"')" -ge "$1" ]; do sleep 0.05; done
}

hear 1
say 1 'Not yet' 'Can I still open my old files? Say so.' REWORK_REQUEST
hear 2
say 2 'Yes' 'Good. Out with it.' MERGED

until grep -qs 'Thank you' .work/messages.jsonl; do sleep 0.05; done
