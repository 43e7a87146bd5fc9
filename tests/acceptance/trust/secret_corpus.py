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
    around("repository URL", "https://bot:", drawn("repository", 20), "@host/r.git",
        "https://host:443/r.git"),
    around("password", "password=", drawn("password", 14), "", "password=$DB_PASSWORD"),
    around("secret in a variable", "API_KEY=", drawn("variable", 32), "", "API_KEY=<your key>"),
    around("token of a run", "PALAVER_TOKEN=", drawn("run", 24, BASE32), "", "PALAVER_TOKEN is a variable"),
    prefixed("GitLab job token", "glcbt" + "-64_", 20, "glcbt-x"),
    prefixed("Google refresh token", "1/" + "/0", 60, "1//0 is how it begins"),
    prefixed("Bitbucket password", "AT" + "BB", 32, "ATBB is a prefix"),
    around(
        "Discord token", "", "M" + drawn("Discord bot", 24) + "." + drawn("bot", 6) + "." + drawn("token",
            38), "",
        "Many.method.call",
    ),
    prefixed("Airtable token", "pat" + drawn("Airtable", 14) + ".", 64, "path.to.it", HEX),
    prefixed(
        "Teams webhook", "https://acme.webhook.office.com/" + "webhookb2/", 60,
            "https://acme.webhook.office.com/",
    ),
    prefixed("Square token", "sq0" + "atp-", 22, "sq0atp-x"),
    prefixed("Facebook token", "EA" + "A", 120, "EAA is a prefix"),
    prefixed("Braintree token", "access_token" + "$production$" + drawn("b", 16, BASE32) + "$", 32,
        "access_token$x", HEX),
    prefixed("crates.io token", "ci" + "o", 32, "ciod and cioccolata"),
    prefixed("Heroku key", "HRKU" + "-AA", 58, "HRKU-x"),
    around("Azure client secret", "", "abc8" + "Q~" + drawn("Azure AD", 34), "", "Q~ is a mark"),
    around("Azure signature", "https://a.example.net/c?sp=r&sig=", drawn("SAS", 43), "%3D", "?sp=r&sig=1"),
    prefixed("Fireworks key", "fw" + "_", 24, "fw_version_of_the_board"),
    prefixed("NVIDIA key", "nvapi" + "-", 64, "nvapi-x"),
    prefixed("Cloudflare key", "v1.0" + "-" + drawn("Cloudflare", 24, HEX) + "-", 146, "v1.0-rc1", HEX),
    prefixed("Grafana cloud token", "glc" + "_eyJ", 100, "glc_x"),
    prefixed("old Notion token", "secret" + "_", 43, "secret_value_from_the_environment"),
    prefixed("1Password token", "ops" + "_eyJ", 300, "ops_team"),
    prefixed("Supabase key", "sb" + "_secret_", 31, "sb_secret_x"),
    prefixed("Fly.io token", "fm" + "2_", 200, "fm2_x"),
    prefixed("SonarQube token", "sq" + "p_", 40, "sqp_x", HEX),
    prefixed("JFrog key", "AK" + "Cp", 69, "AKCp is a prefix"),
    prefixed("Buildkite token", "bkua" + "_", 40, "bkua_x", HEX),
    prefixed("Prefect key", "pnu" + "_", 36, "pnu_x"),
    prefixed("ReadMe key", "rdme" + "_", 70, "rdme_x", BASE32),
    prefixed("EasyPost key", "EZ" + "AK", 54, "EZAK is a prefix"),
    prefixed("Duffel token", "duffel" + "_live_", 43, "duffel_live_x"),
    around("Flutterwave key", "", "FLW" + "SECK-" + drawn("Flutterwave", 32, HEX) + "-X", "", "FLWSECK-x"),
    prefixed("Mapbox token", "sk." + "eyJ" + drawn("Mapbox", 60) + ".", 22, "sk.x"),
    prefixed("Contentful token", "CFPAT" + "-", 43, "CFPAT-x"),
    prefixed("Dropbox token", "sl" + ".", 135, "sl.x"),
    prefixed("Dynatrace token", "dt0c01" + "." + drawn("Dyna", 24, UPPER) + ".", 64, "dt0c01.x", UPPER),
    prefixed("hash of a password", "$" + "6$" + drawn("salt", 8) + "$", 86, "$6 for it"),
    Planted(
        "PuTTY key",
        "PuTTY-User-Key-" + "File-3: ssh-ed25519\nPrivate-Lines: 1\n" + drawn("PuTTY", 44)
        + "\nPrivate-MAC: " + "0a" * 32 + "\ndone",
        drawn("PuTTY", 44), "a PuTTY-User-Key-File",
    ),
    around("short variable", "SMTP_PASS=", drawn("SMTP", 12), "", "12 pass: 40 fail: 0"),
    around("application key", "DD_APP_KEY: ", drawn("application", 40, HEX), "",
        "the app key is in the vault"),
    around("variable of Azure", "AZURE_DEVOPS_EXT_PAT=", drawn("DevOps", 52, BASE32), "",
        "A_PATH=/usr/lib/x86_64-linux-gnu/12"),
    around("YAML", "secretKeyBase: ", drawn("YAML", 40), "", "secretName: my-tls-secret"),
    around("password on a command line", "login --password ", drawn("option", 12), "",
        "--password-file /run/x1"),
    around("token on a command line", "deploy --token ", drawn("option2", 40), "",
        "--token $DEPLOY_TOKEN_12"),
    around("sshpass", "sshpass -p ", drawn("sshpass", 12), "", "sshpass -p $PASS1"),
    around("user of curl", "curl -u app:", drawn("curl", 12), "", "curl -u app:$PASS1 https://host/v2"),
    around("netrc", "machine h login bob password ", "1x" + drawn("netrc", 10), "",
        "the login of bob has no password yet 2"),
    around("docker login", '{"auths":{"host":{"auth":"', drawn("docker", 40), '"}}}', '{"auth":"none"}'),
    around("cookie", "Cookie: theme=dark; session=", drawn("cookie", 43), "", "Cookie: theme=dark"),
    around("sentence", "the password is ", "Xk2" + drawn("sentence", 9) + "9v", "",
        "the password is SHA256-hashed"),
    around("sentence about a key", "The API key is ", "Xk2v9" + drawn("key", 27), "",
        "the key is 3f786850e387550fdab836ed7e6d"),
    around("German", "Passwort: ", "1x" + drawn("German", 10), "", "Das Passwort: siehe Handbuch"),
    around("French", "mot de passe : ", "1x" + drawn("French", 10), "", "mot de passe : voir le manuel"),
    around("Spanish", "contraseña: ", "1x" + drawn("Spanish", 10), "", "la contraseña: ver manual"),
    around("Chinese", "密码\uff1a", "1x" + drawn("Chinese", 10), "", "密码\uff1a请联系管理员"),
)  # fmt: skip
