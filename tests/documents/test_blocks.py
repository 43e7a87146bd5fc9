"""What a page says is to be executed, and how its output is compared."""

from pathlib import Path

import pytest

from tests.documents.blocks import Command, MalformedPageError, blocks
from tests.documents.output import Reading

PAGE = """# A page

<!-- not run: it takes a year -->
```console
$ sleep 31536000
```

- in a list:

  ```console
  $ echo one \\
      two                # a comment
  one two

  $ echo $?
  0
  ```

<!-- console
$ mkdir hidden
-->
````markdown
```
$ not a command
```
````

```python
print("hello")
```
"""


def reading(**known: str) -> Reading:
    return Reading(project=Path("/tmp/x"), known=dict(known))


def test_every_block_is_found_with_its_language_and_its_marks() -> None:
    found = list(blocks(PAGE))

    assert [block.language for block in found] == ["console", "console", "console", "markdown", "python"]
    assert [block.is_run for block in found] == [False, True, True, True, True]


def test_commands_and_their_output_are_told_apart() -> None:
    found = [command for block in blocks(PAGE) for command in block.commands()]

    assert found == [
        Command(line=11, typed="echo one \\\n    two                # a comment", printed=("one two",)),
        Command(line=15, typed="echo $?", printed=("0",)),
        Command(line=20, typed="mkdir hidden"),
        Command(line=28, typed="python <<'END'\nprint(\"hello\")\nEND"),
    ]


@pytest.mark.parametrize(
    "page", ["```console\n$ ls\n", "<!-- background -->\ntext\n", "<!-- console\n$ ls\n"]
)
def test_a_malformed_page_is_found(page: str) -> None:
    with pytest.raises(MalformedPageError):
        list(blocks(page))


def test_output_before_the_first_command_is_found() -> None:
    [block] = blocks("```console\nhello\n```")

    with pytest.raises(MalformedPageError):
        block.commands()


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["Added: bob"], "Added: bob\n"),
        (["a   b"], "a b\n"),
        (["Sent: msg-3qyp7yicgs2d"], "Sent: msg-aaaaaaaaaaaa\n"),
        (["at 2026-11-15T11:43:34.000Z"], "at 2031-01-01T00:00:00Z\n"),
        (["Created a bus: /path/to/project/.palaver"], "Created a bus: /tmp/x/.palaver\n"),
        (["2035 bytes; head 364d8adc0be398d3ae5533742c57e42e"], f"7 bytes; head {'0' * 32}\n"),
        (["yours … [code]"], "yours (fence 7) [code]\n"),
        (["first", "…", "last"], "first\nany\nmany\nlast\n"),
        (["first", "…"], "first\n"),
    ],
)
def test_what_varies_may_vary(shown: list[str], printed: str) -> None:
    assert reading().matches(tuple(shown), printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["Added: bob"], "Added: bop\n"),
        (["Added: bob"], "Added: bob\nand more\n"),
        (["Added: bob", "and more"], "Added: bob\n"),
        (["Sent: msg-3qyp7yicgs2d"], "Sent: msg-1\n"),
        (["msg-3qyp7yicgs2d msg-3qyp7yicgs2d"], "msg-aaaaaaaaaaaa msg-bbbbbbbbbbbb\n"),
        (["2 events"], "3 events\n"),
        (["one … three"], "one\ntwo three\n"),
    ],
)
def test_what_does_not_vary_may_not(shown: list[str], printed: str) -> None:
    assert not reading().matches(tuple(shown), printed)


def test_an_id_of_the_page_stands_for_the_real_one_from_then_on() -> None:
    found = reading()

    assert found.matches(("Sent: msg-3qyp7yicgs2d",), "Sent: msg-aaaaaaaaaaaa\n")
    assert found.real("palaver ack msg-3qyp7yicgs2d") == "palaver ack msg-aaaaaaaaaaaa"
    assert not found.matches(("Acknowledged: msg-3qyp7yicgs2d",), "Acknowledged: msg-bbbbbbbbbbbb\n")
