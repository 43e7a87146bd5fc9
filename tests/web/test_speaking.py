"""What a person does on the page is an event with his name, known by his key; by keyboard too."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from palaver.model.event import text, texts
from tests.web.conftest import Opened
from tests.web.place import Place

Deed = Callable[[Page], None]


def said(place: Place, act: str) -> tuple[str, str, list[str], str]:
    """Return who spoke last with this act, how we know it, to whom, and what."""
    for event in reversed(place.bus.events(limit=20, event_type="mail.sent")):
        if (text(event.data, "act") or "inform") == act:
            return event.actor, event.auth, texts(event.data, "to"), text(event.data, "body")
    raise AssertionError(f"nobody said {act}")


def on(page: Page, words: str, button: str) -> None:
    page.locator(".stuck", has_text=words).get_by_role("button", name=button).click()
    # Rows stay where they are while the pointer is over them.
    page.mouse.move(0, 0)


def test_a_message_is_written_and_sent(place: Place, opened: Opened) -> None:
    page = opened(place)
    page.get_by_role("button", name="Write").click()
    page.get_by_label("To", exact=True).fill("scout, docs")
    page.locator("select[name=act]").select_option("ask")
    page.get_by_label("Subject").fill("Tea?")
    page.get_by_role("textbox", name="Message").fill("Now, or at four?\nSecond line.")

    page.get_by_role("button", name="Send", exact=True).click()

    expect(page.locator(".note")).to_contain_text("Sent to scout, docs")
    assert said(place, "ask") == ("you", "token", ["scout", "docs"], "Now, or at four?\nSecond line.")
    expect(page.locator(".feed .row", has_text="Tea?")).to_be_visible()


def test_a_name_that_means_nobody_is_told_at_once(place: Place, opened: Opened) -> None:
    page = opened(place, "/speak?to=scuot")
    page.get_by_role("textbox", name="Message").fill("Are you there?")

    page.get_by_role("button", name="Send", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("did you mean scout?")


def test_a_refusal_is_shown_with_its_way_out_and_nothing_is_lost(place: Place, opened: Opened) -> None:
    page = opened(place, "/speak?to=scout")
    page.get_by_role("textbox", name="Message").fill("the key is ghp_" + "a1B2" * 9)
    before = place.bus.session.log.last_seq()

    page.get_by_role("button", name="Send", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("will not send a secret")
    expect(page.get_by_role("textbox", name="Message")).to_have_value(re.compile("the key is"))
    assert place.bus.session.log.last_seq() == before


@pytest.mark.parametrize(
    ("fields", "what", "field"),
    [
        ({"to": "scuot", "body": "Are you there?"}, "Not delivered to scuot", "to"),
        ({"to": "scout", "body": ""}, "an empty message", "body"),
        ({"to": "scout", "subject": "ghp_" + "a1B2" * 9, "body": "x"}, "will not send a secret", "subject"),
    ],
)
def test_a_refusal_is_shown_in_the_dialog_and_the_field_has_the_focus(
    place: Place, opened: Opened, fields: dict[str, str], what: str, field: str
) -> None:
    page = opened(place)
    page.get_by_role("button", name="Write").click()
    dialog = page.get_by_role("dialog")
    for name, words in fields.items():
        dialog.locator(f"[name={name}]").fill(words)

    dialog.locator("[name=body]").press("Control+Enter")

    expect(dialog.get_by_role("alert")).to_contain_text(what)
    expect(dialog.locator(f"[name={field}]")).to_be_focused()
    expect(page.locator(".note.bad")).to_have_count(0)


def test_a_question_to_the_person_is_answered_from_now(own: Place, opened: Opened) -> None:
    page = opened(own)
    on(page, "May I use the big machine", "Answer")
    page.get_by_label("Message", exact=True).fill("Yes, from ten on.")

    page.get_by_role("dialog").get_by_role("button", name="Answer").click()

    expect(page.locator(".stuck", has_text="May I use the big machine")).to_have_count(0)
    assert said(own, "answer") == ("you", "token", ["qa"], "Yes, from ten on.")


def test_an_escalation_to_the_person_stands_on_top_until_it_is_dealt_with(own: Place, opened: Opened) -> None:
    own.bus.send("you", "views does not answer for an hour", sender="qa", act="escalate", priority="urgent")
    page = opened(own)
    first = page.locator(".stuck").first
    expect(first).to_contain_text("views does not answer for an hour")
    expect(first).to_contain_text("you must decide")

    on(page, "views does not answer for an hour", "Acknowledge")

    expect(page.locator(".stuck", has_text="views does not answer")).to_have_count(0)
    assert (own.last().event_type, own.last().actor, own.last().auth) == ("mail.acknowledged", "you", "token")


def test_a_claim_is_approved_with_one_press(own: Place, opened: Opened) -> None:
    page = opened(own)

    on(page, "Tag 0.2 on Friday", "Approve")

    expect(page.locator(".stuck", has_text="Tag 0.2 on Friday")).to_have_count(0)
    assert said(own, "approve")[:3] == ("you", "token", ["lead"])


def test_who_must_move_is_nudged(own: Place, opened: Opened) -> None:
    page = opened(own)

    on(page, "Board needs a decision", "Nudge")

    expect(page.locator(".note")).to_contain_text("Nudged lead")
    assert said(own, "nudge")[:3] == ("you", "token", ["lead"])


def test_work_is_given_to_somebody_else(own: Place, opened: Opened) -> None:
    page = opened(own)
    on(page, "Board needs a decision", "Reassign")
    page.get_by_label("To", exact=True).fill("scout")

    page.get_by_role("dialog").get_by_role("button", name="Assign to").click()

    expect(page.locator(".note")).to_contain_text("board is assigned")
    assert said(own, "assign")[:3] == ("you", "token", ["scout"])
    assert own.bus.task("board").task.holder == "scout"


def test_mail_that_reached_nobody_is_said_again(own: Place, opened: Opened) -> None:
    own.bus.send("scot", "Found a seventh.", sender="qa", allow_unknown=True)
    page = opened(own)

    on(page, "Found a seventh.", "Resend to scout")

    expect(page.locator(".stuck", has_text="Found a seventh.")).to_have_count(0)
    assert own.last("mail.sent").data["to"] == ["scout"]


DEEDS: dict[str, tuple[str, Deed, tuple[str, list[str]]]] = {
    "hand over": (
        "Hand over",
        lambda page: page.get_by_role("textbox", name="Message").fill("Yours now."),
        ("handoff", ["docs"]),
    ),
    "pause": ("Pause", lambda _: None, ("autonomy", ["docs"])),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_an_agent_is_steered_from_its_page(place: Place, opened: Opened, deed: str) -> None:
    button, fill, (act, to) = DEEDS[deed]
    page = opened(place, "/agents/docs")
    page.get_by_role("button", name=button).click()
    fill(page)

    page.get_by_role("button", name="Send", exact=True).click()

    expect(page.locator(".note").first).to_contain_text("Sent to docs")
    assert said(place, act)[:3] == ("you", "token", to)


def test_an_agent_is_retired_after_a_question_and_brought_back(own: Place, opened: Opened) -> None:
    page = opened(own, "/agents/scout")
    page.get_by_role("button", name="Retire").click()
    page.get_by_role("button", name="Cancel").click()
    assert own.last().event_type != "agent.retired"
    page.get_by_role("button", name="Retire").click()

    page.get_by_role("dialog").get_by_role("button", name="Retire").click()

    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    assert (own.last("agent.retired").actor, own.last("agent.retired").auth) == ("you", "token")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Nudge")).to_be_visible()


def test_own_mail_is_acknowledged_archived_and_withdrawn(own: Place, opened: Opened) -> None:
    asked = own.bus.search("big machine", limit=1)[0]
    sent = own.bus.send("docs", "Wrong window.")
    page = opened(own, f"/conversations/{asked.id}")

    page.get_by_role("button", name="Acknowledge").click()
    expect(page.locator(".ladder .stage")).to_have_text("acknowledged")
    page.goto(f"{own.origin}/conversations/{sent.message.id}")
    page.get_by_role("button", name="Withdraw").click()

    expect(page.locator(".ladder .stage")).to_have_text("withdrawn")
    done = {event.event_type: event.auth for event in own.bus.events(limit=3)}
    assert done["mail.acknowledged"] == done["mail.withdrawn"] == "token"


def test_who_has_a_question_before_his_eyes_has_read_it(own: Place, opened: Opened) -> None:
    asked = own.bus.search("big machine", limit=1)[0]

    page = opened(own, f"/conversations/{asked.id}")

    expect(page.locator(".ladder .stage")).to_have_text("read")
    event = own.last("mail.read")
    assert (event.actor, event.auth, event.data["message_ids"]) == ("you", "token", [asked.id])


def test_what_others_do_stays_claimed(own: Place) -> None:
    own.ask("/api/messages", body={"to": "docs", "body": "mine"})
    own.bus.send("docs", "theirs", sender="qa")

    mine, theirs = own.bus.events(limit=2, event_type="mail.sent")

    assert (mine.actor, mine.auth) == ("you", "token")
    assert (theirs.actor, theirs.auth) == ("qa", "claimed")


# --- together ---


def test_two_browsers_see_each_others_words(place: Place, opened: Opened) -> None:
    first, second = opened(place), opened(place)
    second.get_by_role("button", name="Write").click()
    second.get_by_label("To", exact=True).fill("scout")
    second.get_by_role("textbox", name="Message").fill("seen by both")

    second.get_by_role("button", name="Send", exact=True).click()

    for page in (first, second):
        expect(page.locator(".feed .row", has_text="seen by both")).to_have_count(1)


def test_a_page_comes_back_by_itself_and_has_missed_nothing(own: Place, opened: Opened) -> None:
    page = opened(own)
    port = own.server.port
    own.server.stop()
    expect(page.locator("#live")).to_contain_text("Reconnecting")
    for turn in range(3):
        own.bus.send("lead", f"while you were away {turn}", sender="scout")

    again = Place.at(own.folder, port)
    try:
        for turn in range(3):
            expect(page.locator(".feed .row", has_text=f"while you were away {turn}")).to_have_count(1)
        expect(page.locator("#live")).to_contain_text("Live")
    finally:
        again.server.stop()


def test_a_reload_stays_in_and_stays_where_it_was(place: Place, opened: Opened) -> None:
    page = opened(place, "/agents/lead?scope=all")

    page.reload()

    expect(page.get_by_role("heading", name="lead", exact=True)).to_be_visible()
    assert page.url.endswith("/agents/lead?scope=all")


# --- by keyboard alone ---


def test_a_question_is_found_and_answered_without_a_mouse(own: Place, opened: Opened) -> None:
    page = opened(own)
    keys = page.keyboard
    keys.press("g")
    keys.press("c")
    expect(page.get_by_role("heading", name="Conversations")).to_be_focused()
    keys.press("/")
    keys.type("big machine")
    expect(page.locator(".talk")).to_have_count(1)
    keys.press("Escape")
    keys.press("j")
    keys.press("Enter")
    expect(page.locator(".said")).to_have_count(1)
    keys.press("s")
    expect(page.locator(".seq-arrow")).to_have_count(1)
    keys.press("s")
    keys.press("r")
    keys.type("By keyboard: yes.")

    keys.press("Control+Enter")

    expect(page.locator(".said", has_text="By keyboard: yes.")).to_be_visible()
    assert said(own, "answer") == ("you", "token", ["qa"], "By keyboard: yes.")


def test_the_palette_finds_views_agents_and_words(place: Place, opened: Opened) -> None:
    page = opened(place)
    keys = page.keyboard
    keys.press("Control+k")
    keys.type("upgrade notes")
    expect(page.get_by_role("dialog").get_by_role("option", selected=True)).to_contain_text(
        "Who reads the upgrade notes?"
    )
    keys.press("Enter")
    expect(page.locator(".thread-head h2")).to_have_text("Who reads the upgrade notes?")

    keys.press("Control+k")
    keys.type("agent scout")
    expect(page.get_by_role("dialog").get_by_role("option", selected=True)).to_contain_text("Agent scout")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="scout", exact=True)).to_be_visible()

    keys.press("Control+k")
    keys.type("go to ins")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Insights")).to_be_visible()


def test_the_palette_finds_tasks_by_id_and_by_title(own: Place, opened: Opened) -> None:
    own.bus.open_task("Umbau der Küche", task="wo-kitchen", by="you")
    page = opened(own)
    found = page.get_by_role("dialog").get_by_role("option", selected=True)
    for typed in ("wo-kit", "umbau KÜCHE"):
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        expect(found).to_contain_text("Task wo-kitchen: Umbau der Küche")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    page.keyboard.press("Control+k")
    page.keyboard.type("kitchen")
    expect(found).to_contain_text("Task wo-kitchen")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/board\?task=wo-kitchen$"))
    expect(page.locator('.tile[data-task="wo-kitchen"]')).to_have_attribute("aria-current", "true")


def test_the_keys_are_shown_and_go_away(place: Place, opened: Opened) -> None:
    page = opened(place)

    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Write a message")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("w")
    expect(page.get_by_role("dialog", name="Write")).to_be_visible()


def test_everything_on_now_can_be_reached_by_tab(place: Place, opened: Opened) -> None:
    page = opened(place)
    reached = set()

    for _ in range(90):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 40)"))

    for words in ("Skip to the content", "Write", "Nudge", "Approve", "Conversations"):
        assert any(words in text for text in reached), (words, reached)


def test_the_palette_opens_again_in_the_moment_in_which_it_closes(place: Place, opened: Opened) -> None:
    page = opened(place)
    page.keyboard.press("Control+k")
    expect(page.locator("dialog.palette[open]")).to_have_count(1)

    page.evaluate(
        """() => {
            document.querySelector("dialog.palette").close();
            dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
        }"""
    )

    expect(page.locator("dialog.palette[open]")).to_have_count(1)
    expect(page.locator("dialog.palette")).to_have_count(1)
