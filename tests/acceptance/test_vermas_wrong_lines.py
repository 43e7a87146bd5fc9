"""vermas: what lint says of a wrong line and what its author is told agree, for every code that lint has."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.files import read
from tests.acceptance.vermas_company import CEO, QA, SUPERVISOR, TIME, WORKER, Company

MAIL, ORDERS, EVENTS = "messages.jsonl", "work_orders.jsonl", "events.jsonl"
ASSIGNMENT = f".assignment-{WORKER.replace('/', '-')}"


def mail(**more: object) -> str:
    """Return mail of the worker with all required fields, or those fields changed; None leaves one out."""
    fields = {"id": "msg-1", "from": WORKER, "to": SUPERVISOR, "subject": "Plan", "body": "Two parts."}
    every: dict[str, object] = {**fields, "timestamp": TIME, **more}
    return json.dumps({name: value for name, value in every.items() if value != "-"}, ensure_ascii=False)


def order(**more: object) -> str:
    return json.dumps(
        {"id": "wo-1", "title": "Feature X", "status": "open", "created_by": SUPERVISOR, **more}
    )


def event(**more: object) -> str:
    fields = {"event_id": "evt-1", "event_type": "agent.idle", "timestamp": TIME, "actor": WORKER, "data": {}}
    return json.dumps({**fields, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wrong line, who is told of it, and how the live bus calls it if not by the code of lint."""

    text: str
    file: str = MAIL
    told: str = WORKER
    live: str = ""
    #: What the offered line must have; nothing if none is offered.
    offered: str = ""


TORN: Final = mail()[:-20]
BAD_TIME: Final = r'It counted; next time write: .*"timestamp":"2'

#: By the code of lint.
WRONG: Final = {
    "VER001": [
        Wrong(text=TORN, offered=r'"subject":"Plan"'),
        Wrong(text="please help me", told=CEO, offered=r'"body":"please help me".*"from":"<address>"'),
        Wrong(text='["a"]', told=CEO, offered=r'"from":"<address>","to":"<address>"'),
        Wrong(text=mail() + mail(id="msg-2", subject="Else")),
        Wrong(text=mail()[:-1] + ', "to": "ceo"}', offered=r'"to":"ceo"'),
        Wrong(text=order()[:-1], file=ORDERS, told=SUPERVISOR, offered=r'"title":"Feature X"'),
        Wrong(text="open wo-7 please", file=ORDERS, told=CEO, offered=r'"title":"open wo-7 please"'),
        Wrong(text=order() + order(id="wo-2"), file=ORDERS, told=SUPERVISOR, offered=r'"wo-1".*\n.*"wo-2"'),
    ],
    "VER002": [Wrong(text=mail(body="x" * (1 << 20)))],
    "VER003": [
        Wrong(text=mail(to="-"), offered=f'"to":"{SUPERVISOR}"'),
        Wrong(text=mail(to="../etc"), offered=f'"to":"{SUPERVISOR}"'),
        Wrong(text=mail(to=[]), offered=f'"to":"{SUPERVISOR}"'),
        Wrong(text=mail(**{"from": "-"}), told=CEO, offered='"from":"<address>"'),
        Wrong(text=mail(**{"from": 1}), told=CEO, offered='"from":"<address>"'),
    ],
    "VER004": [
        Wrong(text=mail(id="-"), offered=r'It counted; next time write: .*"id":"msg-'),
        Wrong(text=mail(subject="-"), offered=r'It counted; next time write: .*"subject":"Two parts\."'),
        Wrong(text=mail(body="-"), offered=r'It counted; next time write: .*"body":"Plan"'),
        Wrong(text=mail(id="-", subject="-", body="-"), offered=r'Write: .*"subject":'),
    ],
    "VER005": [
        Wrong(text=mail(timestamp="-"), offered=BAD_TIME),
        Wrong(text=mail(timestamp="yesterday"), offered=BAD_TIME),
        Wrong(text=mail(read_at="yes"), offered=BAD_TIME),
        Wrong(text=event(timestamp="never"), file=EVENTS),
    ],
    "VER006": [
        Wrong(text=mail(type="DONE"), offered=r'"body":"Two parts\."(?!.*DONE)'),
        Wrong(text=mail(type=3), offered=r'"body":"Two parts\."'),
    ],
    "VER007": [Wrong(text=mail(priority="high"), offered=r"It counted; next time write: (?!.*high)")],
    "VER008": [
        Wrong(text=mail(id="a/b"), offered=r'It counted; next time write: .*"id":"msg-'),
        Wrong(text=mail(id="msg 1"), offered=r'It counted; next time write: .*"id":"msg-'),
    ],
    "VER009": [
        Wrong(text=mail(), file=ORDERS),
        Wrong(text=mail(), file=EVENTS),
        Wrong(text=order(), told=SUPERVISOR),
        Wrong(text=order(), file=EVENTS, told=SUPERVISOR),
        Wrong(text=event()),
        Wrong(text=event(), file=ORDERS),
    ],
    "VER010": [
        Wrong(text=mail(body=5), offered='"body":"5"'),
        Wrong(text=mail(id=1), offered='"id":"msg-'),
        Wrong(text=mail(metadata="wo-1"), offered=r'"body":"Two parts\."(?!.*metadata)'),
    ],
    "VER011": [
        Wrong(text=order(status="wibble"), file=ORDERS, told=SUPERVISOR, offered='"status":"open"'),
        Wrong(text=order(status="merged"), file=ORDERS, told=SUPERVISOR, offered='"status":"closed"'),
        Wrong(text=order(priority="high"), file=ORDERS, told=SUPERVISOR, offered='"priority":2'),
        Wrong(text=order(type="chore"), file=ORDERS, told=SUPERVISOR, offered='"type":"task"'),
        Wrong(text=order(title=5), file=ORDERS, told=SUPERVISOR, offered='"title":"5"'),
        Wrong(text=order(assignee="../x"), file=ORDERS, told=SUPERVISOR, offered='"assignee":"<address>"'),
        Wrong(text=order(created_by="a b"), file=ORDERS, told=CEO, offered='"created_by":"<address>"'),
        Wrong(text=order(title="x" * 101), file=ORDERS, told=SUPERVISOR, offered='"title":"x{100}"'),
        Wrong(text='{"title": "X"}', file=ORDERS, told=CEO, offered='"id":"wo-<id>"'),
    ],
    "VER012": [
        Wrong(text="wo-1", file=ASSIGNMENT, told=CEO, offered="work_order:wo-1"),
        Wrong(text="order:wo-1", file=ASSIGNMENT, told=CEO, offered="work_order:wo-1"),
        Wrong(text="work_order:wo-1\nmail:msg-2", file=ASSIGNMENT, told=CEO, offered="work_order:wo-1$"),
    ],
    "VER013": [
        Wrong(text='{"event_type": "agent.idle"}', file=EVENTS, told=CEO),
        Wrong(text=event(data=[]), file=EVENTS),
    ],
    "VER014": [Wrong(text=event(event_type="agent.dreaming"), file=EVENTS)],
    "VER101": [
        Wrong(
            text=mail(to=CEO, type="WORKER_DONE", metadata={"work_order_id": "wo-1"}),
            offered=f'"to":"{SUPERVISOR}"',
        ),
        Wrong(text=mail(type="SUPERVISOR_PING")),
    ],
    "VER102": [
        Wrong(text=mail(type="WORKER_DONE"), offered='"metadata":{"work_order_id":"wo-<id>"}'),
        Wrong(
            text=mail(type="WORKER_DONE", metadata={"work_order_id": 5}), offered='"work_order_id":"wo-<id>"'
        ),
        Wrong(text=mail(**{"from": QA, "to": WORKER, "type": "merged"}), told=QA, offered='"type":"MERGED"'),
    ],
    "VER103": [
        Wrong(text=mail(to=WORKER, type="handoff"), offered=r'It counted; .*"subject":"🤝 HANDOFF: Plan"'),
    ],
    "VER105": [Wrong(text=f"{mail()}\n{mail(body='Else.')}", live="id-twice")],
    "VER106": [
        Wrong(
            text="work_order:wo-9",
            file=ASSIGNMENT,
            told=CEO,
            live="assignment",
            offered=r"there is no wo-9",
        ),
    ],
}
#: Codes that the live bus does not report, and why.
NOT_LIVE: Final = {
    "VER015": "live, the fields that palaver writes beside a message are not read back",
    "VER104": "a handoff is attached after it was written",
}
CASES: Final = [
    pytest.param(code, wrong, id=f"{code}-{number}")
    for code, cases in WRONG.items()
    for number, wrong in enumerate(cases)
]
OFFERED: Final = [
    pytest.param(wrong, id=f"{code}-{number}")
    for code, cases in WRONG.items()
    for number, wrong in enumerate(cases)
    if wrong.offered and wrong.file in (MAIL, ORDERS)
]


def notices(company: Company, agent: str) -> list[str]:
    """Return what the bus told an agent; the file has wrong lines, too."""
    lines = [line for line in read(company.messages).splitlines() if '"from":"palaver"' in line]
    return [str(each["body"]) for each in map(json.loads, lines) if each["to"] == agent]


def test_every_code_of_lint_has_a_case(tmp_path: Path) -> None:
    rows = Company(tmp_path).project.do("rules", "--json").rows

    codes = {str(row["code"]) for row in rows if row["dialect"] == "vermas"}
    assert codes == WRONG.keys() | NOT_LIVE.keys()
    assert not WRONG.keys() & NOT_LIVE.keys()


@pytest.mark.parametrize(("code", "wrong"), CASES)
def test_lint_and_the_live_bus_agree_on_a_wrong_line(tmp_path: Path, code: str, wrong: Wrong) -> None:
    company = Company(tmp_path)
    if wrong.live == "assignment":
        company.write_order("wo-1")
        company.sync()
    company.project.append(company.work / wrong.file, wrong.text)
    lint = company.project.run("lint", str(company.work.parent)).out
    company.sync()

    told = notices(company, wrong.told)

    assert f" {code} " in lint
    assert [body for body in told if body.startswith(f"{wrong.live or code} in .work/{wrong.file}: ")]
    assert re.search(wrong.offered, "\n".join(told), re.DOTALL)
    assert not re.search(r"\bline 1 column|Traceback|\bchar \d", "\n".join(told))


@pytest.mark.parametrize("wrong", OFFERED)
def test_lint_accepts_the_line_that_a_notice_offers(tmp_path: Path, wrong: Wrong) -> None:
    company = Company(tmp_path)
    company.project.append(company.work / wrong.file, wrong.text)
    company.sync()
    bodies = notices(company, wrong.told)
    offered = [line.strip() for body in bodies for line in re.findall(r"\{.*\}$", body, re.MULTILINE)]
    filled = [each.replace("<address>", CEO).replace("<ISO timestamp>", TIME) for each in offered]
    fresh = tmp_path / "fresh" / ".work"
    fresh.mkdir(parents=True)
    (fresh / wrong.file).write_text("\n".join([*filled, ""]))

    assert offered
    assert company.project.run("lint", str(fresh.parent)).code == 0


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(mail(priority="Urgent"), id="priority-in-any-case"),
        pytest.param(mail(type=None, priority=None, read_at=None, metadata=None), id="empty-fields"),
        pytest.param("\ufeff" + mail(), id="byte-order-mark"),
        pytest.param(mail() + "\r", id="carriage-return"),
        pytest.param(mail(subject="Help me, please"), id="an-ordinary-word"),
        pytest.param(mail(nested={"a": [1, None]}), id="unknown-field"),
    ],
)
def test_a_line_that_lint_accepts_is_mail_and_nobody_is_told_anything(tmp_path: Path, line: str) -> None:
    company = Company(tmp_path)
    company.messages.write_text("")
    company.project.append(company.messages, line)
    lint = company.project.run("lint", str(company.work.parent))
    company.sync()

    assert lint.code == 0
    assert len(read(company.messages).splitlines()) == 1
    assert "msg-1" in company.co("inbox", agent=SUPERVISOR).out


@pytest.mark.parametrize("wrong", WRONG["VER009"])
def test_a_record_in_the_wrong_file_is_offered_for_its_own(tmp_path: Path, wrong: Wrong) -> None:
    company = Company(tmp_path)
    company.project.say(company.work / wrong.file, wrong.text)

    (body,) = notices(company, wrong.told)
    named = re.search(r"belongs in (\S+)\. Write: (\{.*\})$", body)
    assert named
    company.project.say(company.work.parent / named[1], named[2])

    assert named[1] != f".work/{wrong.file}"
    assert len(notices(company, wrong.told)) == 1
    assert '"Feature X"' not in wrong.text or company.project.task("wo-1")["title"] == "Feature X"
    assert '"Two parts."' not in wrong.text or company.project.messages("parts")


@pytest.mark.parametrize("wrong", [each for code in WRONG for each in WRONG[code][:1]])
def test_wrong_lines_that_follow_each_other_stop_no_command(tmp_path: Path, wrong: Wrong) -> None:
    company = Company(tmp_path)
    company.project.say(company.work / wrong.file, f"{wrong.text}\n{wrong.text}")

    assert notices(company, wrong.told)
    assert company.project.run("inbox", agent=CEO).code == 0


def test_records_that_follow_each_other_in_the_wrong_file_are_offered_together(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.project.say(company.messages, f"{order()}\n{order(id='wo-2')}")

    (body,) = notices(company, SUPERVISOR)

    assert re.search(r'belongs in .*Write:\s.*"id":"wo-1".*\n.*"id":"wo-2"', body, re.DOTALL)


def test_a_long_record_in_the_wrong_file_stops_no_command(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.project.say(company.messages, order(description="x " * 5_000))

    (body,) = notices(company, SUPERVISOR)

    assert "belongs in .work/work_orders.jsonl" in body
