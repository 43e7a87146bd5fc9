"""Each test of this folder runs on every backend of the log."""

from tests.backends import log_backend, pytest_generate_tests

__all__ = ["log_backend", "pytest_generate_tests"]
