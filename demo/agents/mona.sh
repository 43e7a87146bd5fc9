# Mona manages an office. She writes manager-inbox.log, and reads the logs of whoever works for her.

say() {
    echo "[$(date -u +%Y-%m-%dT%H:%M:%SZ)] $1" >> messages/manager-inbox.log
}

say '[REPLY] To programmer: [ASSIGN:12] Please write the release note for version 1.2.'

until grep -qs '\[DELIVERY\] task-12 ' messages/employee-*.log; do sleep 0.05; done
say '[DONE] task-12 marked Done. Delivered by clawdy.'
say '[INSTRUCTION] To all: Version 1.2 is out. Thank you, everybody!'
