# A researcher of a run. All its agents append blocks to one Markdown file, MESSAGE-BUS.md.

until grep -qs '^type: QUESTION' MESSAGE-BUS.md; do sleep 0.05; done
question=$(sed -n 's/^messageId: //p' MESSAGE-BUS.md | tail -1)

cat >> MESSAGE-BUS.md <<END
---
messageId: MSG-$(date -u +%Y%m%d-%H%M%S)-claude-5f2
type: ANSWER
agent: claude-research-1
timestamp: $(date -u +%Y-%m-%dT%H:%M:%SZ)
runId: run_001
taskId: TASK-12
relatesTo: $question
---

Three bugs are fixed, and export is twice as fast.

---
END

until grep -qs 'Thank you' MESSAGE-BUS.md; do sleep 0.05; done
