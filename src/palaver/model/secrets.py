"""What looks like a secret: twelve families of keys and tokens.

Two steps, because the first runs before every send: a search for plain literals, and only on a hit
the exact pattern. `re` is imported on a hit alone.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

# Family, the literals that must be there, and the pattern that decides.
FAMILIES = (
    ("Anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("OpenAI key", ("sk-proj-", "sk-svcacct-"), r"sk-(?:proj|svcacct)-[A-Za-z0-9_-]{16,}"),
    (
        "GitHub token",
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"),
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    ),
    ("GitLab token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{16,}"),
    ("AWS key id", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("Google API key", ("AIza",), r"AIza[A-Za-z0-9_-]{30,}"),
    ("Slack token", ("xoxb-", "xoxp-", "xoxa-", "xapp-"), r"(?:xox[abp]|xapp)-[A-Za-z0-9-]{12,}"),
    ("Stripe key", ("sk_live_", "rk_live_"), r"[sr]k_live_[A-Za-z0-9]{12,}"),
    ("npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{30,}"),
    ("PyPI token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{30,}"),
    ("Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    ("private key", ("-----BEGIN ",), r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
)
# The literals, by a character that they all have: most texts lack it, and are done after three looks.
_GATES = tuple(
    (gate, tuple(literal for _, literals, _ in FAMILIES for literal in literals if gate in literal))
    for gate in ("_", "-", "IA", "AIz")
)


def find(text: str) -> str:
    """Return the family of the first secret in the text, or nothing."""
    for gate, literals in _GATES:
        if gate in text:
            for literal in literals:
                if literal in text:
                    return _family(text)
    return ""


def masked(text: str) -> str:
    """Return a text with its secrets taken out, each named by its family."""
    if not find(text):
        return text
    import re

    for family, _, pattern in FAMILIES:
        text = re.sub(pattern, f"[{family} masked]", text)
    return text


def _family(text: str) -> str:
    import re

    for family, literals, pattern in FAMILIES:
        if any(literal in text for literal in literals) and re.search(pattern, text):
            return family
    return ""
