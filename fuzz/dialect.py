"""make fuzz: bytes that learn what a dialect does with them, for so many seconds.

    python fuzz/dialect.py [NAME…] [--seconds N]     fuzz these dialects, or all, one after the other
    python fuzz/dialect.py NAME --input FILE         run one input again, with its traceback

An input that breaks a law (fuzz/laws.py) is saved to fuzz/crashes/, and the exit code is 1.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
CRASHES: Final = ROOT / "fuzz" / "crashes"
# One input may take so many seconds: a regular expression that never ends is a crash too.
SLOWEST: Final = 10
LONGEST: Final = 4_096
_WORD: Final = re.compile(rb"[A-Za-z_@-]{2,20}|[^\w\s]{1,4}")


def main() -> int:
    options = _parsed()
    if options.child:
        _fuzz(options.names[0], options.child)
    if options.input:
        _target(options.names[0])(options.input.read_bytes())
        print("no crash")
        return 0
    CRASHES.mkdir(exist_ok=True)
    from fuzz.laws import PATHS

    return max([_watched(name, options.seconds) for name in options.names or PATHS])


def _watched(name: str, seconds: int) -> int:
    """Fuzz a dialect in a process of its own; tell how it went."""
    from fuzz.laws import seeds

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        found = seeds(name)
        for place, content in enumerate(found):
            (corpus / f"seed-{place}").write_bytes(content)
        words = Path(folder) / "words"
        words.write_text(_dictionary(found), encoding="ascii")
        flags = (
            f"-max_total_time={seconds} -timeout={SLOWEST} -max_len={LONGEST} -detect_leaks=0 -dict={words} "
            f"-artifact_prefix={CRASHES}/{name}- {corpus}"
        )
        done = subprocess.run(
            [sys.executable, __file__, name, "--child", flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    said = done.stdout.decode("utf-8", "backslashreplace")
    runs = re.findall(r"(?m)^(?:Done |#)(\d+)", said)
    print(f"{name}: {int(runs[-1]) if runs else 0:,} executions in {seconds} s", end="; ")
    if done.returncode == 0:
        print("no crash", flush=True)
        return 0
    print(f"CRASH (exit {done.returncode})\n{_end(said)}", flush=True)
    return 1


def _fuzz(name: str, flags: str) -> None:
    """Become the fuzzer; does not return."""
    # It has no types, and no wheel for some machines: only whoever fuzzes must have it.
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["palaver"]):
        target = _target(name)
    atheris.Setup([__file__, *flags.split(" ")], target)
    atheris.Fuzz()


def _target(name: str) -> Callable[[bytes], None]:
    # Loaded here and not above: the fuzzer sees only into what is loaded while it looks.
    dialect = import_module(f"palaver.dialects.{name}.spec").SPEC
    hold = import_module("fuzz.laws").hold
    return lambda content: hold(dialect, content)


def _dictionary(found: list[bytes]) -> str:
    """Return the words and marks of the seeds, in libFuzzer's form."""
    words = {word for content in found for word in _WORD.findall(content)}
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in sorted(words))


def _end(said: str) -> str:
    """Return the traceback and where the input is, without the noise before them."""
    start = said.find("Uncaught Python exception")
    return said[start:][:6_000] if start >= 0 else said[-3_000:]


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz/dialect.py", description="Feed any bytes to the dialects.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="all dialects, if none is named")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--input", type=Path, help="run this one file, and nothing else")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
