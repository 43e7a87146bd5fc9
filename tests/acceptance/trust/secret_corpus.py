"""Secrets of many families, each with a text that only looks like one.

Nothing here is a key of anybody's. The strings are put together when the tests run, from a prefix and
characters that are derived from the name of the family, so that no scanner takes this file for a leak.
"""

import base64
import hashlib
import string
from dataclasses import dataclass
from typing import Final

ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
BASE32: Final = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True, slots=True)
class Planted:
    """One family: a text with a secret in it, the part that must not be kept, and a near miss."""

    family: str
    text: str
    secret: str
    near_miss: str


def drawn(family: str, length: int, alphabet: str = ALNUM) -> str:
    """Return characters that look random and are the same in every run."""
    found = ""
    for block in range(length // 32 + 1):
        digest = hashlib.sha256(f"{family}:{block}".encode()).digest()
        found += "".join(alphabet[byte % len(alphabet)] for byte in digest)
    return found[:length]


def prefixed(family: str, prefix: str, length: int, near_miss: str, alphabet: str = ALNUM) -> Planted:
    """Return a family whose secrets begin with a fixed prefix."""
    secret = prefix + drawn(family, length, alphabet)
    return Planted(family, f"use {secret} for it", secret, near_miss)


def around(family: str, before: str, secret: str, after: str, near_miss: str) -> Planted:
    """Return a family whose secrets are known by what is written around them."""
    return Planted(family, f"use {before}{secret}{after} for it", secret, near_miss)


def block(family: str, label: str, near_miss: str) -> Planted:
    """Return a key in armour. Its body is the secret, not its header."""
    lines = [drawn(f"{family}{number}", 64) for number in range(4)]
    armour = "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"))
    return Planted(family, f"the key:\n{armour}\nthat is all", lines[2], near_miss)


def web_token(family: str) -> str:
    """Return a token of three parts, with a real header."""
    parts = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"Ada"}')
    encoded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join((*encoded, drawn(family, 43)))


DIGITS: Final = string.digits
UPPER: Final = string.ascii_uppercase + string.digits
PRIVATE: Final = "PRIVATE " + "KEY"

CORPUS: Final = (
    prefixed("Anthropic key", "sk-ant-api03-", 93, "the sk-ant- prefix"),
    prefixed("OpenAI project key", "sk-proj-", 74, "sk-proj-ect is a folder"),
    prefixed("OpenAI service key", "sk-svcacct-", 74, "sk-svcacct-x"),
    prefixed("OpenAI key", "sk-", 48, "sk-learn and sk-something-else"),
    prefixed("GitHub token", "ghp" + "_", 36, "ghp_short"),
    prefixed("GitHub OAuth token", "gho" + "_", 36, "gho_st"),
    prefixed("GitHub server token", "ghs" + "_", 36, "ghs_file"),
    prefixed("GitHub fine-grained token", "github" + "_pat_", 82, "github_pat_ is the prefix"),
    prefixed("GitLab token", "glpat" + "-", 20, "glpat-x"),
    prefixed("GitLab runner token", "glrt" + "-", 20, "glrt-x"),
    prefixed("AWS key id", "AKIA", 16, "AKIAshort", UPPER),
    around("AWS secret key", "aws_secret_access_key = ", drawn("AWS", 40), "", "no aws_secret_access_key"),
    prefixed("Google API key", "AIza", 35, "AIzaShort"),
    prefixed("Google client secret", "GOCSPX" + "-", 28, "GOCSPX-x"),
    prefixed("Slack bot token", "xoxb" + "-123456789012-", 24, "xoxb-"),
    prefixed("Slack user token", "xoxp" + "-123456789012-", 32, "xoxp-"),
    prefixed(
        "Slack webhook", "https://hooks.slack.com/" + "services/T0123ABCD/B0123ABCD/", 24,
        "https://hooks.slack.com/ is their host",
    ),
    prefixed("Stripe key", "sk" + "_live_", 24, "sk_live_"),
    prefixed("Stripe restricted key", "rk" + "_live_", 24, "rk_live_"),
    prefixed("Stripe webhook secret", "whsec" + "_", 32, "whsec_x"),
    prefixed("npm token", "npm" + "_", 36, "npm_config_registry"),
    prefixed("PyPI token", "pypi" + "-AgEIcHlwaS5vcmc", 80, "pypi-server"),
    prefixed("RubyGems key", "rubygems" + "_", 48, "rubygems_mirror", HEX),
    prefixed("Docker Hub token", "dckr" + "_pat_", 27, "dckr_pat_"),
    prefixed("Hugging Face token", "hf" + "_", 34, "hf_hub_download"),
    prefixed("Groq key", "gsk" + "_", 52, "gsk_x"),
    prefixed("Replicate token", "r8" + "_", 37, "r8_x"),
    prefixed("Perplexity key", "pplx" + "-", 48, "pplx-small"),
    prefixed("SendGrid key", "SG." + drawn("SendGrid", 22) + ".", 43, "SG.1 is a model"),
    prefixed("Mailgun key", "key" + "-", 32, "key-value", HEX),
    prefixed("Twilio key", "SK", 32, "SKU 1234", HEX),
    prefixed("DigitalOcean token", "dop" + "_v1_", 64, "dop_v1_", HEX),
    prefixed("Databricks token", "dapi", 32, "dapi is an interface", HEX),
    prefixed("Doppler token", "dp" + ".pt.", 43, "dp.pt.x"),
    prefixed("Atlassian token", "ATATT" + "3xFfGF0", 180, "ATATT is their prefix"),
    prefixed("Linear key", "lin" + "_api_", 40, "lin_api_version"),
    prefixed("Notion token", "ntn" + "_", 46, "ntn_x"),
    prefixed("Shopify token", "shpat" + "_", 32, "shpat_x", HEX),
    prefixed("Grafana token", "glsa" + "_" + drawn("Grafana", 32) + "_", 8, "glsa_x", HEX),
    prefixed("New Relic key", "NRAK" + "-", 27, "NRAK-x", UPPER),
    prefixed("Vault token", "hvs" + ".", 90, "hvs.x"),
    prefixed("Postman key", "PMAK" + "-" + drawn("Postman", 24, HEX) + "-", 34, "PMAK-x", HEX),
    prefixed("Supabase token", "sbp" + "_", 40, "sbp_x", HEX),
    prefixed("age secret key", "AGE-SECRET-" + "KEY-1", 58, "AGE-SECRET-", UPPER),
    prefixed("Palaver token of a run", "palaver" + "_run_", 24, "palaver_run_ begins one", BASE32),
    prefixed("Palaver token of the dashboard", "palaver" + "_web_", 75, "…/#in=palaver_web_…"),
    prefixed("OpenRouter key", "sk-" + "or-v1-", 64, "sk-or-v1-…", HEX),
    prefixed("Google access token", "ya29" + ".", 120, "ya29.…"),
    prefixed(
        "Discord webhook", "https://discord.com/api/webhooks/" + drawn("Discord", 18, DIGITS) + "/", 68,
        "https://discord.com/api/webhooks/ID/TOKEN",
    ),
    prefixed("xAI key", "xai" + "-", 80, "xai-sdk-python"),
    prefixed("LangSmith key", "lsv2" + "_pt_" + drawn("LangSmith", 32, HEX) + "_", 10, "lsv2_pt_…", HEX),
    around("Mailchimp key", "", drawn("Mailchimp", 32, HEX) + "-us21", "", "per-user and re-us1"),
    prefixed("Figma token", "figd" + "_", 40, "figd_x"),
    prefixed("Sentry token", "sntrys" + "_", 120, "sntrys_x"),
    prefixed("Terraform token", drawn("Terra", 14) + ".atlas" + "v1.", 67, "an .atlasv1. in the middle"),
    prefixed("Pulumi token", "pul" + "-", 40, "pul-request-1", HEX),
    prefixed("PlanetScale token", "pscale" + "_tkn_", 43, "pscale_tkn_x"),
    prefixed("Netlify token", "nfp" + "_", 36, "nfp_x"),
    prefixed("CircleCI token", "CCIPAT" + "_" + drawn("Circle", 22) + "_", 40, "CCIPAT_x", HEX),
    prefixed("Tailscale key", "tskey" + "-auth-" + drawn("Tailscale", 12) + "-", 32, "tskey-auth-x"),
    around("Telegram bot token", drawn("bot", 9, DIGITS) + ":AA", drawn("Telegram", 33), "", "1234:AA"),
    around(
        "Azure storage key", "AccountName=a;Account" + "Key=", drawn("Azure", 86) + "==", ";x=y",
        "AccountKey is one of the fields",
    ),
    block("RSA private key", f"RSA {PRIVATE}", "-----BEGIN PUBLIC KEY-----"),
    block("OpenSSH private key", f"OPENSSH {PRIVATE}", "-----BEGIN CERTIFICATE-----"),
    block("private key", PRIVATE, "-----BEGIN private key-----"),
    block("PGP private key", f"PGP {PRIVATE} BLOCK", "-----BEGIN PGP MESSAGE-----"),
    around("JSON web token", "", web_token("JWT"), "", "eyJhbGciOiJIUzI1NiJ9 is a header"),
    around("bearer token", "Authorization: Bearer ", drawn("Bearer", 40), "", "the bearer of good news"),
    around("basic credentials", "Authorization: Basic ", drawn("Basic", 32), "", "Basic authorization"),
    around("database URL", "postgres://app:", drawn("database", 16), "@db/x", "postgres://app@db:5432/x"),
    around("repository URL", "https://bot:", drawn("repository", 20), "@host/r.git", "https://host:443/r.git"),
    around("password", "password=", drawn("password", 14), "", "password=$DB_PASSWORD"),
    around("secret in a variable", "API_KEY=", drawn("variable", 32), "", "API_KEY=<your key>"),
    around("token of a run", "PALAVER_TOKEN=", drawn("run", 24, BASE32), "", "PALAVER_TOKEN is a variable"),
)  # fmt: skip
