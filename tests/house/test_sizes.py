"""A module and a function are small enough to be read in one go."""

import ast
from typing import Final

from tests.house.repository import SOURCE, Function, functions, modules, place

MODULE_LINES_MAX: Final = 400
FUNCTION_LINES_MAX: Final = 50


def lines_of_code(function: Function) -> int:
    """Count the lines from `def` to the end, without the docstring: a manual is not to be kept short."""
    assert function.end_lineno is not None
    whole = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None or first.end_lineno is None:
        return whole
    return whole - (first.end_lineno - first.lineno + 1)


def parsed(code: str) -> Function:
    function = ast.parse(code).body[0]
    assert isinstance(function, Function)
    return function


def test_a_docstring_does_not_count() -> None:
    assert lines_of_code(parsed('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n')) == 2


def test_a_blank_line_and_a_comment_count() -> None:
    assert lines_of_code(parsed("def f():\n    # why\n\n    return 1\n")) == 4


def test_no_module_is_longer_than_400_lines() -> None:
    sizes = {place(path): path.read_bytes().count(b"\n") for path in modules(SOURCE)}

    assert {name: size for name, size in sizes.items() if size > MODULE_LINES_MAX} == {}


def test_no_function_is_longer_than_50_lines() -> None:
    sizes = {
        f"{place(path, function)} {function.name}": lines_of_code(function)
        for path in modules(SOURCE)
        for function in functions(path)
    }

    assert {name: size for name, size in sizes.items() if size > FUNCTION_LINES_MAX} == {}
