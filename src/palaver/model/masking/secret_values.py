"""Secrets that only what is around them tells: `password=…`, `Bearer …`, `https://user:…@host`, `--token …`.

The second half of the table in `model/secrets.py`, which imports it on a hit alone. A value in quotes goes to
its quote, with blanks and punctuation; another one to the end of its word. The decision is strict: prose and
code about secrets are none. What is masked then is generous, so that no end of a secret stays.
"""

# The colon of a name and its value, also the wide one of Chinese and Japanese.
_COLON = ":\uff1a"
# What is between a name and its value: no comparison, and no `::`, which is part of a name. JSON inside of a
# text has backslashes before its quotes.
_IS = rf"""\\{{0,9}}["'`]?[ \t]{{0,3}}(?::=|=(?!=)>?|[{_COLON}](?!:))[ \t]{{0,3}}"""
_MARKS = "\"'`"
# In code, what is behind a text that ends with its sign: `"password=" + value`.
_JOINED = rf"(?<=[^\s{_MARKS}\\][=:][{_MARKS}])[,;)\]}}+.&]"
_ADDRESS = r"[a-z]{2,10}://|(?:msg|evt)-"
# How no value in quotes begins, or what none is as a whole: variables, templates, placeholders, paths, calls.
_NO_QUOTED = (
    r"\s",
    _JOINED,
    _ADDRESS,
    r"\$[{(]|\$[A-Z_][A-Z0-9_]+\b|\{[{%]|\{\w{0,40}\}",
    r"<[\w -]{1,60}>|%[sd]\b|%\(\w{1,40}\)s|%\w{1,40}%",
    rf"(?:\$\w{{1,99}}|\[[^\]\n]{{0,200}}\]|(?:~|\.{{0,2}})/[\w./-]{{0,200}})[{_MARKS}\\]",
    rf"[\w.]{{1,60}}\([^\n]{{0,100}}\)[{_MARKS}\\]",
)
_CODE = f"(?!{'|'.join(_NO_QUOTED)})"
# How no other value begins.
_FIRST = rf"(?!{_JOINED}|{_ADDRESS}|[$<{{\[(*%/]|\.{{1,2}}/|~/)"
# It consists of these. A comma or an ampersand is a part of it, unless another name follows.
_WORD = rf"[^\s{_MARKS}<>(){{}}\[\]&;,]"
_CHAR = rf"(?:{_WORD}|[&;,](?![\s&;,{_MARKS})\]}}]|\w{{0,40}}[=:]|\Z))"
# What follows does not make it a call or a template, or it is too random to be a name.
_ENDS = r"(?![(\[{]|<(?!/))"
_RANDOM = (
    r"(?=[A-Za-z0-9]{7,})(?=[A-Z0-9]{0,40}[a-z])(?=[a-z0-9]{0,40}[A-Z])"
    r"[A-Za-z]{0,40}[0-9]{1,9}[A-Za-z]{1,40}[0-9][A-Za-z0-9]{0,99}"
    rf"(?=[(\[{{<]|[{_MARKS})\]}}>][A-Za-z0-9])"
)
# What goes on behind a bracket or a quote belongs to it, too.
_TAIL = rf"(?:(?![{_MARKS}][,;:)\]}}>])[^\w\s]{{1,3}}+(?!\w{{0,40}}[=:])[A-Za-z0-9]{_WORD}*+)*+"
_LETTER = r"[A-Za-z]"


def _looks(unit: str, digits: int) -> str:
    """Return what must come: a word of a language has no digit, so "password: required" is no secret."""
    return rf"(?=(?:{unit}{{0,99}}?[0-9]){{{digits}}})(?={unit}{{0,99}}?{_LETTER})"


def _word(digits: int, least: int) -> str:
    """Return the pattern of a value without quotes, or whose quote does not end."""
    return rf"[{_MARKS}]?{_FIRST}{_looks(_CHAR, digits)}((?:{_CHAR}{{{least},}}+{_ENDS}|{_RANDOM}){_TAIL})"


def _value(digits: int, least: int, blank: str) -> str:
    """Return the pattern of a value: in quotes, in the quotes of JSON inside of a text, or as a word.

    `blank` are the characters that it cannot have in quotes.
    """
    ways: list[str] = []
    for mark in _MARKS:
        unit = rf"(?:[^{mark}\\\n{blank}]|\\[^\n])"
        ways.append(rf"{mark}{_CODE}{_looks(unit, digits)}({unit}{{{least},999}}+)(?:{mark}|(?=\n|\Z))")
    unit = rf"(?:[^\\\n{blank}]|(?!(?P=slash)(?P=mark))\\++[^\n]?)"
    begins, ends = rf"(?P<slash>\\{{1,9}})(?P<mark>[{_MARKS}]){_CODE}", "(?P=slash)(?P=mark)"
    ways.append(rf"{begins}{_looks(unit, digits)}({unit}{{{least},999}}+){ends}")
    return f"(?:{'|'.join([*ways, _word(digits, least)])})"


_PASSWORD = _value(1, 7, "")
_SECRET = _value(2, 16, r"\s")
_NAMES = (
    r"(?:(?i:password|passwd|passphrase|pwd|passwort|kennwort|contrase[ñn]a|mot de passe|(?<![a-z])senha"
    r"|пароль|hasło)|密码|密碼|パスワード|비밀번호|[A-Z0-9]_PASS|(?<![A-Za-z0-9])PASS(?==)"
    r"|(?i:(?:smtp|mail|db|mysql|pg|redis|ftp|ssh|admin|user)_?pass))"
)
_KEY = r"(?:api|access|secret|private|signing|encryption|auth|account|app|master)[_-]?key(?:[_-]?base)?"
_IN_URL = r"[^\s/@]"
# A port, a variable, a placeholder.
_NO_USER = r"(?![0-9]{1,5}[?#]|\$\{?\w{1,60}\}?@|[<\[{][^\s@]{0,60}@|\*+@|%s@|%[A-Z_]{2,40}%@)"
# The password goes to the last @ of the host.
_SECOND = rf"{_IN_URL}{{1,99}}@{_IN_URL}{{0,99}}[0-9]{_IN_URL}{{0,99}}@"
_MIXED = r"(?=[^\s0-9]{0,40}[0-9]{1,20}[^\s0-9]{1,40}[0-9])(?=\S{0,60}?[A-Z])(?=\S{0,60}?[a-z])"
_SENTENCE = r"(?:password|passphrase|(?:api|access|secret)[ _-]key|token|secret) is|passwort ist"
_COOKIE = r"(?i:sess|sid|auth|token)[A-Za-z_.-]{0,20}=(?=[^\s;]{0,40}?[0-9])([^\s;,\"'<${]{20,}+)"
_USER = r"(?<=\s)(?:-u|--user)[ =]?[\"']?[^\s:\"'<${]{1,99}:"
_SIGN = r"\\{0,9}\"\s{0,3}:\s{0,3}\\{0,9}\""

#: Family, literals in small letters of which one must be there, and pattern; its last group is the secret.
AROUND = (
    (
        "bearer token",
        ("bearer ",),
        rf"(?<![A-Za-z])[Bb]earer\s{{1,3}}(?!\w{{1,20}}=[\"'\w]){_word(1, 20)}",
    ),
    (
        "basic credentials",
        ("basic ",),
        r"(?<![A-Za-z])[Bb]asic\s{1,3}(?=[A-Za-z+/]{0,99}[0-9])(?=[a-z0-9+/]{0,99}[A-Z])([A-Za-z0-9+/]{16,}+=*)",
    ),
    (
        "password in a URL",
        ("://",),
        rf"://[^\s/:@]{{0,99}}:{_NO_USER}(?={_IN_URL}{{0,99}}[0-9]|{_SECOND})([^\s/\"`]{{6,199}})@",
    ),
    (
        "AWS secret key",
        ("access_key", "accesskey"),
        rf"(?i:secret_?access_?key){_IS}\\{{0,9}}[{_MARKS}]?([A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
    ),
    ("registry credentials", ('"auth',), rf"\"auth{_SIGN}([A-Za-z0-9+/]{{20,}}+={{0,2}})(?=[\\\"])"),
    ("session cookie", ("cookie: ",), rf"(?i:cookie: )[^\n]{{0,200}}?{_COOKIE}"),
    ("password", ("login",), rf"\blogin\s{{1,9}}\S{{1,99}}+\s{{1,9}}password\s{{1,9}}{_word(1, 7)}"),
    ("password", ("curl ",), rf"\bcurl [^\n|;]{{0,120}}?{_USER}{_word(1, 7)}"),
    (
        "password",
        ("--pass", "sshpass -p"),
        rf"(?:--pass(?:word|wd|phrase)?|\bsshpass -p)[ \t]{{1,3}}(?!-){_PASSWORD}",
    ),
    (
        "secret of a variable",
        ("token ", "secret ", "-key "),
        rf"--(?:[a-z]{{1,20}}-){{0,2}}(?:token|secret|(?:api|secret|access)-key)[ \t]{{1,3}}(?!-){_SECRET}",
    ),
    (
        "password",
        (" is ", " ist "),
        rf"(?i:{_SENTENCE})[ :]{{1,3}}[{_MARKS}]?{_FIRST}{_MIXED}([^\s{_MARKS}<>(){{}}\[\]]{{8,}}+){_ENDS}",
    ),
    ("password", ("密码是", "密碼是"), rf"(?:密码|密碼)是[ {_COLON}]{{0,3}}{_word(1, 7)}"),
    (
        "password",
        (
            *(
                "password",
                "passwd",
                "passphrase",
                "pwd",
                "passwort",
                "kennwort",
                "contrase",
                "mot de passe",
                "senha",
            ),
            *("пароль", "hasło", "密码", "密碼", "パスワード", "비밀번호", "pass"),
        ),
        rf"{_NAMES}{_IS}{_PASSWORD}",
    ),
    (
        "secret of a variable",
        ("secret", "token", "credentials", "key", "_pat"),
        rf"(?:(?i:secret|token|credentials|{_KEY})|[A-Z0-9]_PAT){_IS}{_SECRET}",
    ),
)
