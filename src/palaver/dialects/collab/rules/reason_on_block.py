"""COL105 reason-on-block: a task is blocked without a reason, or with a reason of several lines.

Why: without the reason no agent can help. The protocol: `[BLOCKED:name]` always includes why; include a retry
suggestion if it is obvious.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [BLOCKED:price-check] Blocked.

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [BLOCKED:price-check] CoinGecko 429 rate limit, retry in 60s
"""

from functools import partial

from palaver.dialects.collab.open_items import check_explanation

check = partial(check_explanation, act="block", state="blocked", noun="reason")
