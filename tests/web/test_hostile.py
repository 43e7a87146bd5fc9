"""Words are words: whatever a message says, the page shows it and does nothing of it."""

from typing import Final

import pytest
from playwright.sync_api import Dialog, Page

from palaver.model.message import Message
from tests.web.conftest import Opened
from tests.web.place import Place

CALL: Final = "window.hurt=1"
ELSEWHERE: Final = "http://127.0.0.2:9/x"
#: Each is tried in a body, as a subject, and both at once.
PIECES: Final = (
    f"<script>{CALL}</script>", f"<img src=x onerror={CALL}>", f"<svg onload={CALL}>", f"<svg><script>{CALL}</script>",
    f'"><script>{CALL}</script>', f"'><img src=x onerror={CALL}>", f"</textarea><script>{CALL}</script>",
    f"</title><script>{CALL}</script>", f"<iframe src=javascript:{CALL}>", f"<iframe src={ELSEWHERE}>",
    f"<body onload={CALL}>", f"<input autofocus onfocus={CALL}>", f"<details open ontoggle={CALL}>",
    f"<video><source onerror={CALL}>", f"<a href=javascript:{CALL}>x</a>", f"javascript:{CALL}",
    f"<img src={ELSEWHERE}>", f"<link rel=stylesheet href={ELSEWHERE}>", f"<style>@import '{ELSEWHERE}'</style>",
    f"<base href={ELSEWHERE}>", f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<object data={ELSEWHERE}>", f"<form action={ELSEWHERE}><button>", f"background:url({ELSEWHERE})",
    f"{{{{constructor.constructor('{CALL}')()}}}}", f"${{{CALL}}}", f"[x](javascript:{CALL})", f"![x]({ELSEWHERE})",
    f"data:text/html,<script>{CALL}</script>", "<!--", "]]>", "&lt;script&gt;", "\\u003cscript\\u003e", "__proto__",
    "constructor", "%3Cscript%3E", "\u202egnp.exe", "a\u200bb\u2028c\u0085d", "\ufeffx", "e\u0301" * 300, "x" * 20_000,
    "\x1b[2J\x1b]52;c;aGk=\x07", "id: 9\nevent: log\ndata: {}\n\n", "\r\nSet-Cookie: a=b", "'; drop table message; --",
    '" NEAR( *', "=cmd|' /C calc'!A0", "<math><mi//xlink:href='data:x,<script>'>", f"<x onclick={CALL}>click me</x>",
    f"https://example.org/\"onmouseover={CALL}", f"http://a@127.0.0.2:9/{CALL}",
)  # fmt: skip
PATHS: Final = (
    "/now",
    "/conversations",
    "/agents/scout?scope=all",
    "/insights",
    "/audit",
    "/audit?words=script",
    "/speak",
)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_hundred_hostile_messages_do_nothing(own: Place, opened: Opened) -> None:
    messages = [Message(sender="qa", to=["scout"], body=piece) for piece in PIECES]
    messages += [Message(sender="qa", to=["scout"], body="x", subject=piece[:900]) for piece in PIECES]
    assert len(messages) >= 100
    page = opened(own)
    dialogs: list[str] = []

    def noted(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", noted)

    sent = own.bus.send_many(messages)
    # It arrives live first; then every view is opened on it.
    page.locator(f'.feed [data-row="{sent[-1].message.id}"]').wait_for()
    unhurt(page)
    for path in PATHS:
        page.goto(own.origin + path)
        page.wait_for_selector("main h1", state="attached")
        page.wait_for_timeout(100)
        unhurt(page)
    for each in (0, 1, 15, 30, len(PIECES), len(PIECES) + 40):
        page.goto(f"{own.origin}/conversations/{sent[each].message.id}")
        page.get_by_text("Record and five dialects").first.click()
        page.locator(".spoken .tab").nth(4).click()
        page.keyboard.press("s")
        page.wait_for_selector(".seq-arrow")
        unhurt(page)

    assert dialogs == []


def unhurt(page: Page) -> None:
    found = page.evaluate(
        """() => ({
            hurt: window.hurt ?? 0,
            inside: document.querySelectorAll(
                "main script, main iframe, main object, main style, main link, main base, main meta, main form[action],"
                + " main [onerror], main [onload], main [onclick], main [onfocus]").length,
            links: [...document.querySelectorAll("main a[href]")]
                .filter((link) => !/^https?:$/.test(new URL(link.href.baseVal ?? link.href, location.href).protocol)).length,
        })"""
    )
    assert found == {"hurt": 0, "inside": 0, "links": 0}


def test_a_link_is_a_link_only_if_it_leads_to_the_web_and_tells_nothing(own: Place, opened: Opened) -> None:
    sent = own.bus.send("scout", "see https://example.org/a?b=c. And javascript:alert(1), file:///etc/passwd")
    page = opened(own, f"/conversations/{sent.message.id}")

    [link] = page.locator(".prose-text a").all()

    assert link.get_attribute("href") == "https://example.org/a?b=c"
    assert set((link.get_attribute("rel") or "").split()) >= {"noopener", "noreferrer"}


def test_what_does_not_print_is_shown_by_its_number(own: Place, opened: Opened) -> None:
    sent = own.bus.send("scout", "a\u202eb\u200bc\u001bd")
    page = opened(own, f"/conversations/{sent.message.id}")

    assert page.locator(".prose-text").inner_text() == "a\\u202eb\\u200bc\\x1bd"


def test_another_sites_page_can_do_nothing(own: Place, opened: Opened) -> None:
    page = opened(own)
    before = own.bus.session.log.last_seq()
    stranger = page.context.new_page()
    # The same machine under another name is another site.
    stranger.route(
        "http://evil.example/*", lambda route: route.fulfill(body="<p>hi", content_type="text/html")
    )
    stranger.goto("http://evil.example/")

    outcome = stranger.evaluate(
        """async (origin) => {
            const told = [];
            for (const [method, path, headers, body] of [
                ["GET", "/api/now", {}, undefined],
                ["POST", "/api/messages", {"content-type": "text/plain"}, '{"to":"lead","body":"x"}'],
                ["POST", "/api/messages", {"content-type": "application/json"}, '{"to":"lead","body":"x"}'],
                ["GET", "/api/stream", {}, undefined],
            ]) {
                for (const mode of ["cors", "no-cors"]) {
                    try {
                        const answer = await fetch(origin + path, {method, body, mode, headers: mode === "cors" ? headers : {}, credentials: "include"});
                        told.push(answer.type === "opaque" ? "opaque" : String(answer.status));
                    } catch { told.push("failed"); }
                }
            }
            const frame = document.createElement("iframe");
            frame.src = origin + "/now";
            document.body.append(frame);
            await new Promise((done) => { frame.onload = done; setTimeout(done, 2000); });
            let inside = "closed";
            try { inside = frame.contentDocument ? "open" : "closed"; } catch { inside = "closed"; }
            return {told, inside};
        }""",
        own.origin,
    )

    assert set(outcome["told"]) <= {"failed", "opaque"}, outcome
    assert outcome["inside"] == "closed"
    assert own.bus.session.log.last_seq() == before
    stranger.close()
