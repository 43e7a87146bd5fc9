"""What anchors show of a log, whatever it keeps its records in."""

from pathlib import Path

from palaver.log.anchor import ACCEPTED, Anchor, find_losses, is_held, last_record
from palaver.log.port import Log
from palaver.log.record import hashed
from palaver.model.event import Draft
from tests.laws.backend import Backend
from tests.laws.drafts import NOON, said

OTHER = "0" * 32


def anchor_of(log: Log, seq: int) -> Anchor:
    """Return an anchor of a record that the log has."""
    found = last_record(log.line(seq) + b"\n")
    assert found is not None
    assert found.seq == seq
    return found._replace(source="the anchor", at=NOON)


def event(event_type: str, data: dict[str, object]) -> Draft:
    return Draft(event_type, actor="ada", data=data, event_id="evt-x", timestamp=NOON)


class AnchorLaws(Backend):
    """The laws; each starts with a log of four records."""

    def _log(self, folder: Path) -> Log:
        log = self.make_log(folder)
        log.append([said(f"message {number}") for number in range(1, 5)])
        return log

    def test_a_log_has_lost_nothing_that_it_has(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        anchors = [anchor_of(log, seq) for seq in range(1, 5)]
        log.append([said("one more")])

        assert find_losses(log, anchors) == []
        assert all(is_held(log, each) for each in anchors)
        assert find_losses(log, []) == []

    def test_records_behind_the_end_are_missing_from_the_first_one_on(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        known = [anchor_of(log, 4), Anchor(6, OTHER, "the view"), Anchor(7, OTHER, "the anchor", NOON)]

        [loss] = find_losses(log, known)

        assert (loss.kind, loss.first, loss.last) == ("missing", 5, 7)
        assert loss.what == (
            "records 5 to 7 are missing: the log ends at 4, but it had record 7 according to the view and"
            f" the anchor of {NOON}"
        )

    def test_an_empty_log_misses_its_first_record(self, tmp_path: Path) -> None:
        [loss] = find_losses(self.make_log(tmp_path), [Anchor(1, OTHER, "the view")])

        assert (loss.first, loss.last) == (1, 1)
        assert loss.what == (
            "record 1 is missing: the log is empty, but it had record 1 according to the view"
        )

    def test_a_replaced_record_is_between_two_anchors(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        known = [anchor_of(log, 1), Anchor(3, OTHER, "the anchor", NOON), Anchor(4, OTHER, "the view")]

        [loss] = find_losses(log, known)

        assert (loss.kind, loss.first, loss.last) == ("replaced", 2, 3)
        assert loss.what == (
            f"record 3 is not the one that the log had according to the anchor of {NOON}: some of the records"
            " 2 to 3 were changed, or lost and replaced by others"
        )

    def test_a_loss_that_was_noticed_is_known_by_its_first_number_for_good(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)

        [loss] = find_losses(log, [Anchor(4, OTHER, "an earlier view", NOON, ended=2)])

        assert (loss.kind, loss.first, loss.last) == ("missing", 3, 4)
        assert "the log ended at 2 when this was noticed" in loss.what

    def test_a_redacted_record_is_excused_and_no_other_one(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        known = anchor_of(log, 2)
        log.append([event("log.redacted", {"seq": 2, "was": OTHER, "now": known.head})])

        assert find_losses(log, [Anchor(2, OTHER)]) == []
        assert find_losses(log, [Anchor(3, OTHER)]) != []
        assert find_losses(log, [Anchor(2, OTHER[:-1] + "1")]) != []

    def test_a_redaction_that_left_another_line_excuses_nothing(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        log.append([event("log.redacted", {"seq": 2, "was": OTHER, "now": OTHER})])
        log.append([event("log.redacted", {"seq": 9, "was": OTHER, "now": hashed(b"")})])

        assert find_losses(log, [Anchor(2, OTHER)]) != []
        assert find_losses(log, [Anchor(9, OTHER)]) != []

    def test_an_accepted_loss_is_excused_and_no_other_one(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        log.append([event(ACCEPTED, {"first": 5, "last": 9, "heads": [f"9:{OTHER}"]})])

        assert find_losses(log, [Anchor(9, OTHER)]) == []
        assert find_losses(log, [Anchor(8, OTHER)]) != []

    def test_a_text_that_looks_like_an_excuse_excuses_nothing(self, tmp_path: Path) -> None:
        log = self._log(tmp_path)
        log.append([said(f'"log.accepted" "log.redacted" {{"heads": ["9:{OTHER}"]}}')])

        assert find_losses(log, [Anchor(9, OTHER)]) != []
