"""vermas: the events, the subjects and the commands of one story from dispatch to the end."""

import pytest

from tests.acceptance.files import records
from tests.acceptance.vermas_company import CEO, QA, SUPERVISOR, WORKER, Company

Event = dict[str, object]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """Tell the seed's happy path by commands: dispatched, checked, done, read, archived, merged."""
    company = Company(tmp_path_factory.mktemp("story"))
    company.dispatch("wo-123")
    do = company.do
    do("co", "assignment", agent=WORKER)
    do("wo", "update", "wo-123", "--status", "in_progress", agent=WORKER)
    do("co", "worker", "done", "-m", "Branch slot0-x", agent=WORKER)
    done = str(company.mail_to(SUPERVISOR)[-1]["id"])
    do("co", "read", done, agent=SUPERVISOR)
    do("co", "archive", done, agent=SUPERVISOR)
    do(
        "co",
        "send",
        QA,
        "-s",
        "Ready",
        "-m",
        "x",
        "--type",
        "READY_FOR_QA",
        "--wo",
        "wo-123",
        agent=SUPERVISOR,
    )
    do("co", "send", WORKER, "-s", "Merged", "-m", "x", "--type", "MERGED", "--wo", "wo-123", agent=QA)
    do("co", "assignment", agent=QA)
    company.sync()
    return company


def data(story: Company, event_type: str) -> list[dict[str, object]]:
    found = []
    for event in records(story.events):
        if event["event_type"] == event_type:
            assert isinstance(event["data"], dict)
            found.append(event["data"])
    return found


@pytest.mark.parametrize(
    ("event_type", "keys"),
    [
        ("mail.sent", {"from", "to", "subject", "message_id"}),
        ("mail.delivered", {"message_id", "recipient"}),
        ("mail.read", {"message_id", "reader", "read_at"}),
        ("mail.archived", {"message_id"}),
        ("assignment.set", {"agent", "ref_type", "ref_id"}),
        ("assignment.cleared", {"agent", "previous_ref"}),
        ("assignment.checked", {"agent", "found", "response_ms"}),
        ("work_order.created", {"work_order_id", "title", "created_by"}),
        ("work_order.assigned", {"work_order_id", "agent"}),
        ("work_order.status_changed", {"work_order_id", "from_status", "to_status"}),
        ("work_order.closed", {"work_order_id"}),
    ],
)
def test_an_event_has_its_data(story: Company, event_type: str, keys: set[str]) -> None:
    found = data(story, event_type)

    assert found
    assert [sorted(keys - set(each)) for each in found if keys - set(each)] == []


def test_an_assignment_that_was_found_says_how_fast(story: Company) -> None:
    (found,) = [each for each in data(story, "assignment.checked") if each["found"]]

    assert isinstance(found["response_ms"], int)


def test_the_first_mail_of_a_conversation_has_a_correlation_id(story: Company) -> None:
    sent = [event for event in records(story.events) if event["event_type"] == "mail.sent"]

    assert sent
    assert [event for event in sent if not event.get("correlation_id")] == []


def test_a_subject_is_words(story: Company) -> None:
    subjects = [str(mail["subject"]) for mail in records(story.messages)]

    assert subjects
    assert [subject for subject in subjects if subject.strip() in ("", "-")] == []


def test_co_read_shows_the_type(story: Company) -> None:
    (done,) = [mail for mail in records(story.messages) if mail.get("type") == "WORKER_DONE"]

    shown = story.do("co", "read", str(done["id"]), agent=SUPERVISOR).out

    assert ["type:", "WORKER_DONE"] in [line.split() for line in shown.splitlines()]


def test_co_ack_acknowledges_mail(story: Company) -> None:
    mail = str(story.mail_to(QA)[0]["id"])

    answer = story.co("ack", mail, agent=QA)

    assert answer.code == 0
    assert mail in answer.out


def test_an_event_stands_once(story: Company) -> None:
    ids = [event["event_id"] for event in records(story.events)]

    assert len(ids) == len(set(ids))


def test_the_story_ends_with_a_closed_order(story: Company) -> None:
    assert story.order("wo-123")["status"] == "closed"
    assert story.order("wo-123")["created_by"] == CEO
