"""Very many requests, made by schemathesis from the document: good ones, and ones that break its rules."""

from typing import Any

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.patience import PATIENCE
from tests.web.place import Place


def stumbles(place: Place, *, examples: int, seed: int) -> tuple[int, list[str]]:
    """Ask so many things of each call; return how many were asked, and every answer that should not be."""
    place.server._app.asgi._left = 1e12
    _, told = place.ask("/api/openapi.json")
    schema = schemathesis.openapi.from_dict(told)
    schema.config.base_url = place.origin
    wrong: list[str] = []
    asked = 0
    headers = {"Authorization": f"Bearer {place.session}"}
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if operation.path == "/api/stream":
            # It never ends; its own tests listen to it.
            continue
        strategy = operation.as_strategy(generation_mode=GenerationMode.POSITIVE) | operation.as_strategy(
            generation_mode=GenerationMode.NEGATIVE
        )

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @hypothesis.given(case=strategy)
        def ask(case: schemathesis.Case[Any]) -> None:
            nonlocal asked
            asked += 1
            place.server._app.asgi._left = 1e12
            answer = case.call(headers=headers, timeout=PATIENCE)
            if answer.status_code >= 500 and answer.status_code not in (503, 507):
                wrong.append(f"{answer.status_code} {case.method} {case.formatted_path} {case.body!r}"[:500])

        ask()
    return asked, wrong
