"""Secrets: each family is found, what only looks like one is not, and nothing of one is written."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.model.secrets import FAMILIES, find
from tests.bus.scene import bodies, bus_in, refused

A, D = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
FOUND: Final = {
    "Anthropic key": ["sk-ant-api03-" + "a1B_-" * 5],
    "OpenAI key": ["sk-proj-" + "a1B_-" * 5, "sk-svcacct-" + "a1" * 10],
    "GitHub token": [f"gh{kind}_" + "a1B2" * 9 for kind in "pousr"] + ["github_pat_" + "a1_B" * 10],
    "GitLab token": ["glpat-" + "a1B2_-" * 4],
    "AWS key id": ["AKIA" + "ABCD" * 4, "ASIA" + "2345" * 4],
    "Google API key": ["AIza" + "a1_-B" * 7],
    "Slack token": [f"{kind}-123456789012-abc" for kind in ("xoxb", "xoxp", "xoxa", "xapp")],
    "Stripe key": ["sk_live_" + "a1B2" * 6, "rk_live_" + "a1B2" * 6],
    "npm token": ["npm_" + "a1B2" * 9],
    "PyPI token": ["pypi-" + "AgEI_-" * 8],
    "Hugging Face token": ["hf_" + "a1B2" * 9],
    "private key": [
        f"-----BEGIN {kind}PRIVATE KEY-----" for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")
    ],
}
NEARLY: Final = (
    "sk-ant-", "sk-ant-short", "sk-proj-", "sk-svcacct-x", "sk-something-else-entirely-long", "ghp_",
    "ghp_short", "github_pat_", "glpat-x", "AKIA", "AKIAshort", "XAKIAABCDABCDABCDABCD",
    "AKIAABCDABCDABCDABCDX", "AIza", "AIzaShort", "xoxb-", "xoxz-123456789012-abc", "sk_live_",
    "sk_test_" + "a" * 30, "npm_config_registry", "npm_", "my_npm_" + "a" * 40, "pypi-server",
    "hf_hub_download", "hf_", "shelf_" + "a" * 40, "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----", "-----BEGIN private key-----", "the sk-ant- prefix and the ghp_ prefix",
    "",
)  # fmt: skip
PLANTED: Final = [(family, secret) for family, secrets in FOUND.items() for secret in secrets]


def test_there_are_twelve_families_and_each_has_its_example() -> None:
    assert [family for family, _, _ in FAMILIES] == list(FOUND)
    assert len(FAMILIES) == 12


@pytest.mark.parametrize(("family", "secret"), PLANTED)
def test_a_secret_is_found_wherever_it_stands(family: str, secret: str) -> None:
    for text in (
        secret,
        f"key: {secret}",
        f"first line\n{secret}\nlast line",
        f'{{"token":"{secret}"}}',
        f"ключ {secret} 鍵",
    ):
        assert find(text) == family


@pytest.mark.parametrize("text", NEARLY)
def test_what_only_looks_like_one_is_not(text: str) -> None:
    assert find(text) == ""


@given(st.text(max_size=300), st.sampled_from(PLANTED))
def test_no_text_around_it_hides_a_secret(around: str, planted: tuple[str, str]) -> None:
    assert find(f"{around} {planted[1]} {around}")


@pytest.mark.parametrize(("family", "secret"), PLANTED)
def test_a_secret_is_refused_in_every_field_before_anything_is_written(
    tmp_path: Path, family: str, secret: str
) -> None:
    bus = bus_in(tmp_path, "bob")
    seq = bus.send("bob", "Hello").message.seq
    text = f"use {secret} for it"

    for call in (
        lambda: bus.send("bob", text),
        lambda: bus.send("bob", "x", subject=text),
        lambda: bus.send("bob", "x", reasoning=text),
        lambda: bus.send("bob", "x", task=text),
        lambda: bus.send("bob", "x", run=text),
        lambda: bus.send("bob", "x", artifacts=["ok", text]),
        lambda: bus.send("bob", "x", meta={"note": text}),
        lambda: bus.send("bob", "x", meta={text: "note"}),
        lambda: bus.send("bob", "x", meta={"deep": [{"in": ["it", text]}]}),
        lambda: bus.send("bob", "x", files=[{"path": text}]),
        lambda: bus.send("ghost", text, key="k1"),
        lambda: bus.add_agent("carol", about=text),
        lambda: bus.retire_agent("bob", reason=text),
        lambda: bus.redact(seq, reason=text),
    ):
        with refused(bus, "secret") as caught:
            call()
        assert caught.value.exit == 2
        assert family in str(caught.value)
        assert secret not in str(caught.value)
    assert not any(
        secret.encode() in path.read_bytes() for path in Path(bus.root.path).rglob("*") if path.is_file()
    )


def test_a_secret_can_be_sent_by_somebody_who_means_it(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    text = FOUND["GitHub token"][0]

    bus.send("bob", text, allow_secret=True)

    assert bodies(bus, "bob") == [text]
    assert [check.state for check in bus.doctor() if check.name == "secrets"] == ["note"]
