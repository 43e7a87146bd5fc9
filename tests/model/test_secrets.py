"""Secrets: each family is found, what only looks like one is not, and nothing of one is written."""

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.model.masking.masks import mask_rest_of_keys
from palaver.model.masking.secret_values import AROUND
from palaver.model.secrets import FAMILIES, find, mask, mask_value, masked, spans
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


def test_there_are_forty_families_and_more_and_each_has_a_pattern_and_literals() -> None:
    rows = [*FAMILIES, *AROUND]

    assert len({family for family, _, _ in rows}) >= 40
    assert [family for family, literals, pattern in rows if not (literals and pattern)] == []


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


# --- what is near to a secret and none ---

# What people write about secrets, in documents, code and reviews.
HARMLESS: Final = (
    "password=<your password>", "password=$DB_PASSWORD", "password=${DB_PASSWORD_1}", "password=getpass1()",
    "password: required, at least 8 characters", 'password = os.environ["DB_PASS1"]', "password=None",
    "PASSWORD=changeme123", "the password is in 1Password", "if password == 'hunter2x'",
    '{"token": "string", "password": "string"}', "password: see msg-7eqvl7msm3bp", "PASSWORD=********12ab",
    "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Bearer {{token1}}",
    "Basic internationalization", "Authorization: Basic $CREDENTIALS_1", "the bearer of good news",
    "sk-...", "sk-" + "x" * 48, "sk-learn", "disk-" + "a1" * 20, "ghp_" + "x" * 36, "TASK-1",
    "SKILL.md", "SKU1",
    "AKIA" + "IOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b", "key: d41d8cd98f00b204e9800998ecf8427e",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 123e4567-e89b-12d3-a456-426614174000", "cache key: 3f786850e387550fdab836ed7e6dc881de23001b",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHx",
    "https://user@host/path", "https://host:8443/path@v2", "http://localhost:8080/a@b",
    "git@github.com:o/r.git",
    "postgres://user:password@localhost:5432/db", "mailto:ada1@host and https://host:443/x",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0 without a signature",
    "token: the parser reads tokens2 at a time", "Token::Identifier12345678901", "secrets: inherit",
    "token = https://example.com/oauth2/token1234", "secret: /run/secrets/db_password_12", "max_tokens: 4096",
    "api_key=settings.API_KEY", "token: ${{ secrets.GITHUB_TOKEN }}",
    "next token: IDENT at line 12, column 34",
    "PALAVER_TOKEN=$PALAVER_TOKEN", "palaver_run_ is the prefix", "the token palaver_web_… of a link",
    "-----BEGIN PGP SIGNATURE-----", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx1 ada@host",
    "per-user, re-use1 and self-use1", "an eyJ and an SG.1 and a dp.x", '"password=" + value1 + "&x=1"',
    'password = "${DB_PASS1}"', 'password: "{{ vault_pass1 }}"', "password = '<your password 1>'",
    'password="$pass1"',
    'password: "[your own 12]"', 'password = "%(pass1)s"', 'password: "/run/secrets/db1"',
    'password: "get_pass1()"',
    "password=Vec2(1)", "tests pass: 40 of 41", "PASS: test_parser_2",
    "use --password-stdin or --password $PASS1",
    "postgres://user:password@db1.acme.io/x", "https://host:8443?x=a1@b", "https://$USER1:$PASS1@h/x",
    "the password is in 1Password", "the password is Base64-encoded",
    "the token is 3f786850e387550fdab836ed7e6dc881",
    "the cache key is 3f786850e387550fdab836ed7e6dc881de23001b",
    'WWW-Authenticate: Bearer realm="api2.example.com"',
    "Module.method.a_long_name_of_a_function_that_has_no_digit_in_it_at_all",
    "the `password=` of `user1` and `x`",
)  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_what_people_write_about_secrets_raises_no_alarm(text: str) -> None:
    assert spans(text) == []
    assert masked(text) == text


# --- what is masked ---


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password=hunter2", "password=[password masked]"),
        ('{"password": "Xy12zzQQ"}', '{"password": "[password masked]"}'),
        ("(password=hunter2x)", "(password=[password masked])"),
        ("https://h/?password=hunter2x&page=2", "https://h/?password=[password masked]&page=2"),
        ("Server=db;Password=Xk29;vQ7p;Trusted=yes", "Server=db;Password=[password masked];Trusted=yes"),
        ('{"a":"password=hunter2x","b":"c"}', '{"a":"password=[password masked]","b":"c"}'),
        ("redis://:p4ssw0rd@host:6379", "redis://:[password in a URL masked]@host:6379"),
        ("curl -H 'x-api-key: " + "a1B2" * 8 + "' h", "curl -H 'x-api-key: [secret of a variable masked]' h"),
        ("token=ghp_" + "a1B2" * 9 + ".", "token=[GitHub token masked]"),
        ("a " + "AKIA" + "ABCD2345EFGH6789" + " b", "a [AWS key id masked] b"),
    ],
)
def test_only_the_secret_is_masked_and_what_says_so_is_kept(text: str, shown: str) -> None:
    assert masked(text) == shown
    assert masked(shown) == shown


HEAD, END = "Xk29vQ7pLmT4", "zR81wNq5HbY6"
# Where a value is written, and which marks within it end it there.
FORMS: Final = {
    'password = "{}"': '"', "password: '{}'": "'", '{{"password":"{}"}}': '"', 'db_password = "{}"': '"',
    'api_key = "{}"': '" ', "SECRET_KEY = '{}'": "' ", 'X_TOKEN="{}"': '" ', 'client_secret: "{}"': '" ',
    r'{{\"password\":\"{}\"}}': '"', "DB_PASSWORD={}": " ", "access_token={}": " ",
    "Authorization: Bearer {}": " ",
    "Server=x;Password={};Trusted=yes": " ", "postgres://app:{}@db.acme.io/x": " /\"`",
}  # fmt: skip
MARKED: Final = [
    (form, mark) for form, ends in FORMS.items() for mark in "\"&'(),;<>[]`{}@!# " if mark not in ends
]


@pytest.mark.parametrize(("form", "mark"), MARKED)
def test_punctuation_within_a_secret_does_not_end_it(form: str, mark: str) -> None:
    shown = masked(form.format(HEAD + mark + END))

    assert HEAD not in shown
    assert END not in shown


@pytest.mark.parametrize(
    "value", [r"Xk29\"vQ7pLmT4", r"Xk29vQ7\\pLmT4\\", "(Xk29vQ7pLmT4", "a b c 9", "Xk29&vQ7", "Xk2(7pL"]
)
def test_a_password_in_quotes_goes_to_its_quote(value: str) -> None:
    assert masked(f'{{"password":"{value}","user":"x"}}') == '{"password":"[password masked]","user":"x"}'


def test_a_password_of_json_inside_of_a_text_goes_to_its_quote() -> None:
    fields = {"password": 'Xk29"vQ7, pLmT4', "user": "x"}
    text = json.dumps({"a": json.dumps({"b": json.dumps(fields)})})

    shown = json.loads(json.loads(json.loads(masked(text))["a"])["b"])

    assert shown == {"password": "[password masked]", "user": "x"}


ARMOUR: Final = "-----BEGIN {0}PRIVATE KEY-----\n" + "MIIEa1B2c3D4\n" * 3


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH "])
def test_a_key_in_armour_is_masked_to_its_end_or_to_the_end_of_the_text(label: str) -> None:
    begun = ARMOUR.format(label)

    assert mask(f"a\n{begun}-----END {label}PRIVATE KEY-----\nb") == (
        "a\n[private key masked]\nb",
        ["private key"],
    )
    assert masked(f"a\n{begun}") == "a\n[private key masked]"
    assert masked(f"a {begun}".replace("\n", "\\n")) == "a [private key masked]"


def test_a_field_is_judged_by_its_name_too() -> None:
    value = {"password": "Xy12zzQQ", "list": [{"note": "ghp_" + "a1B2" * 9}, 3], "is": True}

    plain, families = mask_value(value)

    assert plain == {
        "password": "[password masked]",
        "list": [{"note": "[GitHub token masked]"}, 3],
        "is": True,
    }
    assert sorted(families) == ["GitHub token", "password"]
    assert mask_value({"a": "b"}) == ({"a": "b"}, [])


def test_a_field_that_says_what_its_value_is_is_masked_as_a_whole() -> None:
    for value in ("Xk29 vQ7, pLmT4", 'Xk29"vQ7pLmT4', "(Xk29vQ7", "a b c d 9\nXk29"):
        assert mask_value({"password": value}) == ({"password": "[password masked]"}, ["password"])
    assert mask_value({"password": "required", "token": "read 12 of 34"})[1] == []


def test_a_key_as_a_list_of_its_lines_is_masked() -> None:
    key = ARMOUR.format("RSA ") + "-----END RSA PRIVATE KEY-----"

    plain, families = mask_value({"note": ["before", *key.split("\n"), "after"]})

    assert plain == {"note": ["before", *["[private key masked]"] * 5, "after"]}
    assert set(families) == {"private key"}


def test_a_key_over_several_fields_is_masked() -> None:
    body = ["MIIE" + "a1B2" * 12, "c3D4" * 12, "e5F6=="]
    said = {
        "reasoning": f"see\n-----BEGIN RSA PRIVATE KEY-----\n{body[0]}",
        "body": f"> {body[1]}\n> {body[2]}\n-----END RSA PRIVATE KEY-----\nthat is all",
        "subject": "a key",
    }

    rest = mask_rest_of_keys(said, said)

    assert rest == {"subject": "a key", "body": "[private key masked]\nthat is all"}
    assert mask_rest_of_keys({"subject": "a", "body": body[0]}, said) == {}


def test_a_refusal_says_in_which_field_and_line_the_secret_is(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    for fields, place in (
        (
            {"body": f"one\ntwo\nuse {FOUND['npm token'][0]}"},
            "the body seems to hold one (npm token, line 3)",
        ),
        ({"body": "x", "subject": FOUND["npm token"][0]}, "the subject seems to hold one (npm token)"),
        ({"body": "x", "meta": {"password": "Xy12zzQQ"}}, "the meta seems to hold one (password)"),
        (
            {"body": "x", "files": [{"token": "a1B2" * 8}]},
            "the files seem to hold one (secret of a variable)",
        ),
    ):
        with refused(bus, "secret") as caught:
            bus.send("bob", **fields)
        assert place in str(caught.value)


# --- the time that it takes ---

LITERALS: Final = sorted({literal for _, literals, _ in (*FAMILIES, *AROUND) for literal in literals})
SIZE: Final = 1 << 20


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----BEGIN A PRIVATE KEY-----\n-----END ",
        "eyJ", "eyJaaaaaaaa.",
        "eyJaaaaaaaa.eyJaaaaaaaa.", "password=", "password=a1", "password=aaaaaa(", "token: a1a1",
        "a://a:a1", "://a:a1@",
        "://", "Bearer a1", "Bearer " + "a" * 99, "Basic A1", "sk-" + "a" * 31 + "-",
        "SG.aaaaaaaaaaaaaaaaaaaaaa.",
        "glsa_" + "a" * 32, "PMAK-" + "a" * 24 + "-", "12345678:AA", "password=hunter2 ",
        "api_key", "secret_access_key=a", "curl -u a:", "cookie: ", "token is a1",
        "password='a1 ", 'token=\\"a1', "password=a1&", "password=Xk29vQ7(", "password=a1)",
        "login a password ",
        "x" * 64, "a1" * 32, " ", "=", "\n",
    ],
)  # fmt: skip
def test_a_hostile_text_of_a_mebibyte_is_judged(piece: str) -> None:
    # It ends: with a quadratic pattern these would run for hours, and the limit of a test is some seconds.
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]

    shown = masked(text)

    assert find(shown) == "" or find(text) == ""


def test_a_text_of_all_literals_is_judged() -> None:
    for separator in ("", " ", "=", ": ", "a1"):
        text = separator.join(LITERALS)
        masked(text * (SIZE // 8 // len(text)))
