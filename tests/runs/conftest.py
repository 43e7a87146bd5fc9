"""The bus of the command line's tests, for runs."""

from tests.cli.conftest import ada, bob, bus, nowhere, template

__all__ = ["ada", "bob", "bus", "nowhere", "template"]
