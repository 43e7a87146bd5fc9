"""What looks like a secret: one table of the families of keys, tokens and passwords that are known.

Two steps, because the first runs before every send: a search for plain literals, and only on a hit the exact
pattern. `re`, and the families that only what is around them tells (`masking/`), are imported then.
Every pattern takes time in proportion to the text.

A bare module: `palaver send` imports it (see docs/adr/0006, and docs/adr/0046 for the choice of the table).
"""

_HEX = "0123456789abcdef"
# A key in armour is a secret from its first line to its last, or to the end of the text.
BLOCK = "private key"
_LABEL = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
# Not within a longer word: those of base64 have everything.
_ALONE = r"\b(?<![+/=_-])"

# Family, the literals of which one must be there, and the pattern that decides. If the pattern has a group,
# the group is the secret, and what is around it is kept.
FAMILIES = (
    (
        BLOCK,
        ("BEGIN ",),
        rf"(?s)-{{4,5}} ?BEGIN {_LABEL} ?-{{4,5}}.*?(?:-{{4,5}} ?END {_LABEL} ?-{{4,5}}|\Z)",
    ),
    (
        BLOCK,
        ("PuTTY-User-Key-File-",),
        r"(?s)PuTTY-User-Key-File-[0-9]:.*?(?:Private-MAC: [0-9a-f]{40,64}|\Z)",
    ),
    ("Palaver token", ("palaver_run_", "palaver_web_"), r"palaver_(?:run|web)_[A-Za-z0-9_-]{20,}"),
    ("Anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("OpenRouter key", ("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{32,}"),
    ("OpenAI key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}"),
    ("OpenAI key", ("sk-",), r"\bsk-(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{32,}"),
    (
        "GitHub token",
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"),
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    ),
    (
        "GitLab token",
        ("glpat-", "glrt-", "gldt-", "glptt-", "glcbt-"),
        r"gl(?:pat|rt|dt|ptt|cbt)-[A-Za-z0-9_.-]{16,}",
    ),
    ("AWS key id", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("Google API key", ("AIza",), r"AIza[A-Za-z0-9_-]{30,}"),
    ("Google client secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("Google access token", ("ya29.",), r"\bya29\.[A-Za-z0-9_-]{30,}"),
    (
        "Slack token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"),
        r"(?:xox[abprs]|xapp)-[A-Za-z0-9-]{12,}",
    ),
    ("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("Discord webhook", ("/api/webhooks/",), r"/api/webhooks/[0-9]{16,20}/[A-Za-z0-9_-]{40,}"),
    ("Stripe key", ("sk_live_", "rk_live_"), r"[sr]k_live_[A-Za-z0-9]{12,}"),
    ("webhook secret", ("whsec_",), r"\bwhsec_[A-Za-z0-9+/=]{24,}"),
    ("npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{30,}"),
    ("PyPI token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{30,}"),
    ("RubyGems key", ("rubygems_",), r"\brubygems_[0-9a-f]{40,}"),
    ("Docker Hub token", ("dckr_pat_", "dckr_oat_"), r"\bdckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ("Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    ("Groq key", ("gsk_",), r"\bgsk_[A-Za-z0-9]{40,}"),
    ("xAI key", ("xai-",), r"\bxai-[A-Za-z0-9]{60,}"),
    ("Replicate token", ("r8_",), r"\br8_[A-Za-z0-9]{30,}"),
    ("Perplexity key", ("pplx-",), r"\bpplx-[A-Za-z0-9]{40,}"),
    ("LangSmith key", ("lsv2_",), r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}"),
    ("SendGrid key", ("SG.",), r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,}"),
    ("Mailgun key", tuple([f"key-{_digit}" for _digit in _HEX]), r"\bkey-[0-9a-f]{32}\b"),
    ("Mailchimp key", tuple([f"-us{_digit}" for _digit in _HEX[1:10]]), r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    ("Twilio key", tuple([f"SK{_digit}" for _digit in _HEX]), r"\bSK[0-9a-f]{32}\b"),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"\bdo[por]_v1_[0-9a-f]{40,}"),
    ("Databricks token", ("dapi",), r"\bdapi[0-9a-f]{32}"),
    ("Doppler token", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{36,}"),
    ("Atlassian token", ("ATATT3",), r"\bATATT3[A-Za-z0-9_=-]{40,}"),
    ("Linear key", ("lin_api_",), r"\blin_api_[A-Za-z0-9]{32,}"),
    ("Notion token", ("ntn_",), r"\bntn_[A-Za-z0-9]{40,}"),
    ("Figma token", ("figd_",), r"\bfigd_[A-Za-z0-9_-]{36,}"),
    ("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("Grafana token", ("glsa_",), r"\bglsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    ("Sentry token", ("sntrys_", "sntryu_"), r"\bsntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("New Relic key", ("NRAK-",), r"\bNRAK-[A-Z0-9]{27}"),
    ("Vault token", ("hvs.", "hvb."), r"\bhv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("Terraform token", (".atlasv1.",), r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ("Pulumi token", ("pul-",), r"\bpul-[0-9a-f]{40}\b"),
    ("PlanetScale token", ("pscale_",), r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    ("Postman key", ("PMAK-",), r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Supabase token", ("sbp_",), r"\bsbp_[0-9a-f]{40}"),
    ("Netlify token", ("nfp_",), r"\bnfp_[A-Za-z0-9]{36,}"),
    ("CircleCI token", ("CCIPAT_",), r"\bCCIPAT_[A-Za-z0-9]{20,}_[0-9a-f]{40}"),
    ("Tailscale key", ("tskey-",), r"\btskey-[a-z]{2,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,}"),
    ("age secret key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("Telegram bot token", (":AA",), r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    (
        "Azure key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    (
        "JSON web token",
        ("eyJ",),
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9_-]{20,}",
    ),
    ("Azure signature", ("sig=",), r"[?&]sig=([A-Za-z0-9%/+]{40,}+=?)"),
    ("Azure client secret", ("Q~",), r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("Google refresh token", ("1//0",), r"(?<![A-Za-z0-9+/=_-])1//0[A-Za-z0-9_-]{40,}"),
    ("Bitbucket password", ("ATBB",), rf"{_ALONE}ATBB[A-Za-z0-9]{{28,}}"),
    (
        "Discord token",
        (".",),
        rf"{_ALONE}[MNO](?=[A-Za-z_-]{{0,27}}[0-9])[\w-]{{22,27}}\.[\w-]{{6}}\.[\w-]{{27,45}}(?![\w-])",
    ),
    ("Airtable token", ("pat",), r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("Teams webhook", ("webhook.office.com/",), r"webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{40,}"),
    ("Square token", ("sq0atp-", "sq0csp-"), r"\bsq0[ac][ts]p-[A-Za-z0-9_-]{22,}"),
    ("Facebook or Square token", ("EAA",), rf"{_ALONE}EAA(?=[A-Za-z_-]{{0,99}}[0-9])[A-Za-z0-9_-]{{57,}}"),
    ("Braintree token", ("access_token$",), r"access_token\$production\$[a-z0-9]{16}\$[0-9a-f]{32}"),
    (
        "crates.io token",
        ("cio",),
        rf"{_ALONE}cio(?=[A-Za-z]{{0,31}}[0-9])[A-Za-z0-9]{{32}}(?![A-Za-z0-9+/=_-])",
    ),
    ("Heroku key", ("HRKU-",), r"\bHRKU-[A-Za-z0-9_-]{40,}"),
    ("Fireworks key", ("fw_",), r"\bfw_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{22,}"),
    ("NVIDIA key", ("nvapi-",), r"\bnvapi-[A-Za-z0-9_-]{40,}"),
    ("Cloudflare key", ("v1.0-",), r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{120,}"),
    ("Grafana token", ("glc_eyJ",), r"\bglc_eyJ[A-Za-z0-9+/=_-]{40,}"),
    ("Notion token", ("secret_",), r"\bsecret_(?=[A-Za-z]{0,42}[0-9])[A-Za-z0-9]{43}\b"),
    ("1Password token", ("ops_eyJ",), r"\bops_eyJ[A-Za-z0-9_-]{100,}"),
    ("Supabase key", ("sb_secret_",), r"\bsb_secret_[A-Za-z0-9_-]{20,}"),
    ("Fly.io token", ("fm2_",), r"\bfm2_[A-Za-z0-9+/=_-]{60,}"),
    ("SonarQube token", ("sqp_", "squ_", "sqa_"), r"\bsq[pua]_[0-9a-f]{40}"),
    ("JFrog key", ("AKCp",), rf"{_ALONE}AKCp[A-Za-z0-9]{{60,}}"),
    ("Buildkite token", ("bkua_",), r"\bbkua_[0-9a-f]{40}"),
    ("Prefect key", ("pnu_", "pnb_"), r"\bpn[ub]_[A-Za-z0-9]{36}"),
    ("ReadMe key", ("rdme_",), r"\brdme_[a-z0-9]{60,}"),
    ("EasyPost key", ("EZAK", "EZTK"), rf"{_ALONE}EZ[AT]K[A-Za-z0-9]{{50,}}"),
    ("Duffel token", ("duffel_",), r"\bduffel_(?:live|test)_[A-Za-z0-9_-]{40,}"),
    ("Flutterwave key", ("FLWSECK-", "FLWSECK_TEST-"), r"\bFLWSECK(?:_TEST)?-[0-9a-f]{32}-X"),
    ("Mapbox token", ("sk.eyJ",), r"\bsk\.eyJ[A-Za-z0-9_-]{40,}+\.[A-Za-z0-9_-]{20,}"),
    ("Contentful token", ("CFPAT-",), r"\bCFPAT-[A-Za-z0-9_-]{40,}"),
    ("Dropbox token", ("sl.",), r"\bsl\.[A-Za-z0-9_-]{130,}"),
    ("Dynatrace token", ("dt0c01.",), r"\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("hash of a password", ("$6$", "$y$"), r"\$(?:6|y)\$[A-Za-z0-9./=$]{4,60}\$[A-Za-z0-9./]{40,90}"),
)
# How a name ends that tells what its value is, in small letters, behind what is in all of these names.
_PASSWORD = (
    ("pass", ("password", "passwd", "passphrase", "passwort", "pass", "mot de passe")),
    ("pwd", ("pwd",)),
    ("kennwort", ("kennwort",)),
    ("contrase", ("contrasena",)),
    ("senha", ("senha",)),
)
_FOREIGN = ("contraseña", "пароль", "hasło", "密码", "密碼", "パスワード", "비밀번호")
_SECRET = (
    ("secret", ("secret",)),
    ("token", ("token",)),
    ("credentials", ("credentials",)),
    (
        "key",
        (*("_key", "-key", "apikey", "accesskey", "secretkey", "privatekey"), "appkey", "authkey", "keybase"),
    ),
    ("_pat", ("_pat",)),
    ('"auth', ('"auth',)),
    ("cookie", ("cookie",)),
)
# What precedes a secret in a sentence, and on a command line.
_SAID = ("ssword", "sswort", "phrase", "key", "Key", "KEY", "oken", "ecret")
_OPTIONS = ("--pass", "token ", "secret ", "-key ")
# What stands for a secret in documents.
_PLACEHOLDERS = ("xxxxxx", "******", "......", "example", "placeholder", "changeme", "change-me", "change_me",
                 "redacted", "your_", "your-")  # fmt: skip
# Every secret has so many characters without a blank, except those that `_may_hold` looks for itself.
_LONG = 16
# A text without the first of these lacks the literals that have it: most texts are done after a few looks.
_GATES = ("_", "key-", "-us", "-", "SK", ".", "/", "=", ":", "")
# The literals that it looks for itself: they have a blank, or are in many texts.
_NEAR = ("BEGIN ", ".", "pat")
# Tokens of several parts, which nothing but their length and their dots tells.
_DOTTED = 58
# The families whose literal is not enough: it must be preceded by what `\b` allows, and followed by more.
_WHOLE = r"\b"


def _by_gate() -> tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]:
    """Return the literals by their gates, each with whether it must be the beginning of a word."""
    found: dict[str, list[tuple[str, bool]]] = {gate: [] for gate in _GATES}
    for _, literals, pattern in FAMILIES:
        for literal in literals:
            if literal not in _NEAR:
                gate = next(each for each in _GATES if each in literal)
                found[gate].append((literal, pattern.startswith(_WHOLE) and literal[0].isalnum()))
    return tuple([(gate, tuple(literals)) for gate, literals in found.items()])


_LITERALS = _by_gate()


def find(text: str) -> str:
    """Return the family of a secret in the text, or nothing."""
    found = spans(text)
    return found[0][0] if found else ""


def masked(text: str) -> str:
    """Return a text with its secrets taken out, each named by its family."""
    return mask(text)[0]


def mask(text: str) -> tuple[str, list[str]]:
    """Return a text with its secrets taken out, and the families of these."""
    if not _may_hold(text):
        return text, []
    parts: list[str] = []
    families: list[str] = []
    reached = 0
    for family, start, end in spans(text):
        parts += [text[reached:start], f"[{family} masked]"]
        families.append(family)
        reached = end
    return "".join([*parts, text[reached:]]), families


def mask_value(value: object, name: str = "") -> tuple[object, list[str]]:
    """Return a plain value with the secrets in its texts taken out, and the families of these.

    A text is also judged by the name of its field: {"password": "..."} is as good as password=...
    The texts of a list may be the lines of one key.
    """
    if type(value) is str:
        return _mask_text(value, name)
    families: list[str] = []
    if type(value) is dict:
        table: dict[object, object] = {}
        for key, each in value.items():
            plain, found = mask_value(key)
            table[plain], more = mask_value(each, key if type(key) is str else "")
            families += found + more
        return (table if families else value), families
    if type(value) is list or type(value) is tuple:
        within: set[int] = set()
        if any(type(each) is str and "BEGIN " in each for each in value):
            from palaver.model.masking.masks import lines_of_key

            within = lines_of_key([each if type(each) is str else "" for each in value])
        parts: list[object] = []
        for place, each in enumerate(value):
            part, found = (f"[{BLOCK} masked]", [BLOCK]) if place in within else mask_value(each, name)
            parts.append(part)
            families += found
        return (parts if families else value), families
    return value, []


def _mask_text(text: str, name: str) -> tuple[str, list[str]]:
    if not name:
        return mask(text)
    # As it would be in quotes: a value of its own, with blanks and any marks.
    head = f'"{name}": "'
    quoted = text.replace("\\", "!").replace('"', "'").replace("\n", " ")
    for family, start, end in spans(f'{head}{quoted}"'):
        if start == len(head) and end >= len(head) + len(text):
            return f"[{family} masked]", [family]
    head = f"{name}="
    shown, families = mask(head + text)
    return (shown[len(head) :], families) if shown.startswith(head) else mask(text)


def spans(text: str) -> list[tuple[str, int, int]]:
    """Return the secrets of a text in their order: the family, the start, the end. None overlaps another."""
    if not _may_hold(text):
        return []
    import re

    from palaver.model.masking.secret_values import AROUND

    low = text.lower()
    patterns = [(family, pattern) for family, literals, pattern in FAMILIES if _has_any(text, literals)]
    patterns += [(family, pattern) for family, literals, pattern in AROUND if _has_any(low, literals)]
    hits: list[tuple[int, int, int, str]] = []
    for order, (family, pattern) in enumerate(patterns):
        for match in re.finditer(pattern, text):
            start, end = match.span(match.lastindex or 0)
            if family == BLOCK or not _is_placeholder(low[start:end]):
                hits.append((start, end, order, family))
    return _merged(hits)


def _merged(hits: list[tuple[int, int, int, str]]) -> list[tuple[str, int, int]]:
    """Return hits in the order of the text; those that overlap are one, with the name of the first family."""
    merged: list[tuple[int, int, int, str]] = []
    for start, end, order, family in sorted(hits):
        if merged and start < merged[-1][1]:
            before = merged.pop()
            order, family = min((order, family), before[2:])
            start, end = before[0], max(end, before[1])
        merged.append((start, end, order, family))
    return [(family, start, end) for start, end, _, family in merged]


def _has_any(text: str, literals: tuple[str, ...]) -> bool:
    return any(literal in text for literal in literals)


def _is_placeholder(value: str) -> bool:
    return _has_any(value, _PLACEHOLDERS)


def _may_hold(text: str) -> bool:
    """Return True if a text has a literal of a secret; the patterns decide then."""
    if ("BEGIN " in text and "----" in text) or ("@" in text and "://" in text and _has_user(text)):
        return True
    is_foreign = not text.isascii()
    low = text.lower() if "=" in text or ":" in text or is_foreign else ""
    if low and _names_a_value(low, _PASSWORD):
        return True
    if _says_one(text) or (is_foreign and _has_any(low, _FOREIGN)):
        return True
    words = text.split()
    longest = max(map(len, words), default=0)
    if longest < _LONG:
        return False
    if (
        "earer " in text
        or ("asic " in text and "uthorization" in text)
        or (low and _names_a_value(low, _SECRET))
        or (longest >= _DOTTED and any(len(word) >= _DOTTED and "." in word for word in words))
    ):
        return True
    return _has_literal(" ".join([word for word in words if len(word) >= _LONG]))


def _ends_as_said(before: str) -> bool:
    return before.endswith(_SAID)


def _says_one(text: str) -> bool:
    """Return True if a sentence, a command line or a .netrc may have a secret as one of its words."""
    return (
        (" is " in text and any(map(_ends_as_said, text.split(" is "))))
        or ("--" in text and _has_any(text, _OPTIONS))
        or "curl " in text
        or "sshpass " in text
        or "sswort ist " in text
        or ("login" in text and "password" in text)
    )


def _has_literal(words: str) -> bool:
    """Return True if words have a literal of a family, where it may be the beginning of a secret."""
    for gate, literals in _LITERALS:
        if gate in words:
            for literal, is_word in literals:
                if literal in words and (not is_word or _begins_word(words, literal)):
                    return True
    return False


def _has_user(text: str) -> bool:
    """Return True if an address in the text names a user with a password."""
    place = text.find("://")
    while place >= 0:
        host = text[place + 3 : place + 256].partition("/")[0]
        if "@" in host and ":" in host:
            return True
        place = text.find("://", place + 3)
    return False


def _names_a_value(low: str, names: tuple[tuple[str, tuple[str, ...]], ...]) -> bool:
    """Return True if a text in small letters gives a value to something that has such a name."""
    for part, ends in names:
        if part in low:
            for name in ends:
                if name in low and _is_assigned(low, name):
                    return True
    return False


def _begins_word(text: str, literal: str) -> bool:
    """Return True if a literal begins a word and is only its beginning."""
    place = text.find(literal)
    while place >= 0:
        after = text[place + len(literal) : place + len(literal) + 1]
        if after.isalnum() and not (place and (text[place - 1].isalnum() or text[place - 1] == "_")):
            return True
        place = text.find(literal, place + 1)
    return False


def _is_assigned(low: str, name: str) -> bool:
    """Return True if a name is followed by what gives it a value."""
    place = low.find(name)
    while place >= 0:
        end = place + len(name)
        if low[end : end + 14].lstrip(" \t\\\"'`")[:1] in ("=", ":", "\uff1a"):
            return True
        place = low.find(name, end)
    return False
