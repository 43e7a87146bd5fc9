"""palaver review and report-error: the templates of runbus, by command."""

import pytest

from tests.cli.spoken import Shell


def test_a_review_has_the_form_of_its_template(ada: Shell, bob: Shell) -> None:
    sent = ada.run(
        *(
            "review",
            "bob",
            "--scope",
            "src/parser.py",
            "--severity",
            "minor",
            "--finding",
            "line 12: no test",
        ),
        *("--finding", "line 30: slow", "--recommendation", "add one", "--task", "parser"),
    )

    body = bob.run("read", sent.message_id, "--json").rows[0]

    assert body["act"] == "review"
    assert body["body"] == (
        "Scope: src/parser.py\nSeverity: minor\nFindings:\n- line 12: no test\n- line 30: slow\n"
        "Tests: none\nRecommendation: add one"
    )


def test_an_error_report_blocks_the_task_of_who_reports_it(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "Parser", "--id", "parser")
    bob.run("task", "claim", "parser")

    answer = bob.run(
        *("report-error", "ada", "--task", "parser", "--impact", "no release", "--action", "look at it"),
        *("--attempt", "Claude: crashed", "--attempt", "Codex: hung", "-m", "Fault ```` here"),
    )

    message = ada.run("read", answer.message_id.rstrip(";"), "--json").rows[0]
    assert answer.out.endswith("parser is blocked\n")
    assert message["act"] == "block"
    assert "1. Claude: crashed\n2. Codex: hung" in str(message["body"])
    assert "`````\nFault ```` here\n`````" in str(message["body"])
    assert "**Impact:** no release" in str(message["body"])


MISTAKES = [
    (["review", "bob"], "--scope is missing"),
    (["review", "bob", "--scope", "x", "--severity", "bad", "--recommendation", "x"], "no severity"),
    (["report-error", "bob"], "--task is missing"),
    (["report-error"], "is missing"),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[" ".join(case[0]) for case in MISTAKES])
def test_a_mistake_is_told(ada: Shell, words: list[str], said: str) -> None:
    answer = ada.run(*words)

    assert answer.code == 2
    assert said in answer.err


def test_reviews_of_a_run_stand_in_its_packet(ada: Shell, bob: Shell) -> None:
    run = ada.folder / "runs/run_20260203-081154-42"
    run.mkdir(parents=True)
    words = ["--scope", "parser.py", "--severity", "nit", "--recommendation", "mend"]

    first = ada.run("review", "bob", *words, "--run", run.name)
    bob.with_env(RUN_ID=run.name).run("review", "ada", *words, "--finding", "l. 12: slow")
    ada.run("review", "bob", *words, "--run", "run_of_somebody_else")
    ada.run("review", "bob", *words, "--run", "../..")

    packet = (run / "artifacts/review-packet.md").read_text(encoding="utf-8")
    assert packet.startswith(f"# Review packet: {run.name}\n\n## ada, ")
    assert packet.count("Scope: parser.py\nSeverity: nit\n") == 2
    assert "- l. 12: slow" in packet
    assert f"({first.message_id})" in packet
    assert [each.name for each in (ada.folder / "runs").iterdir()] == [run.name]
