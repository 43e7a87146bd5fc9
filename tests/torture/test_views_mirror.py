"""Three hundred long lives of a bus, each compared step by step with a simple account of it."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.views.test_mirror import BusMachine


@pytest.mark.torture
def test_whatever_happens_the_views_agree_with_a_simple_account() -> None:
    run_state_machine_as_test(
        BusMachine,
        settings=settings(
            max_examples=300,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        ),
    )
