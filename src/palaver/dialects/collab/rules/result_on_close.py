"""COL104 result-on-close: a task is closed without its result, or with a result of several lines.

Why: "Done." makes the other agent ask, and readers drop a second line, which the log's format does not have.
The protocol: `[DONE:name]` always includes the result in one line.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] Done.

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] BTC $94,230 as of 03:15 UTC
"""

from functools import partial

from palaver.dialects.collab.open_items import check_explanation

check = partial(check_explanation, act="deliver", state="closed", noun="result")
