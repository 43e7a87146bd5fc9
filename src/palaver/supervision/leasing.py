"""Leases: a claim of which nothing is heard ends; its holder is told when most of its time has passed."""

from collections.abc import Iterator

from palaver.supervision.facts import Facts
from palaver.supervision.spelling import lasting
from palaver.supervision.step import Step


def leased(facts: Facts) -> Iterator[Step]:
    """Yield the leases that are over, and those that soon will be."""
    for lease in facts.leases.values():
        age = facts.watch.age(lease.heard)
        if rule := lease.due(age):
            yield Step(
                rule,
                since=lease.heard,
                agent=lease.holder,
                to=(lease.holder,),
                task=lease.task,
                fence=lease.fence,
                why=f"{lease.holder} claimed {lease.task}, and said nothing of it for {lasting(age)}",
            )
