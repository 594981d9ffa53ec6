"""Counts of agreement by group, and the table that shows them."""

from __future__ import annotations

from collections import defaultdict


class Tally:
    """Collects outcomes; prints every disagreement at once, a table and a last line at the end."""

    def __init__(self) -> None:
        self.groups: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.deliberate: dict[str, int] = defaultdict(int)

    @property
    def agreed(self) -> int:
        return sum(g[0] for g in self.groups.values())

    @property
    def disagreed(self) -> int:
        return sum(g[1] for g in self.groups.values())

    def record(self, group: str, subject: str, differences: list[str]) -> None:
        """One input: it agrees when `differences` is empty."""
        self.groups[group][1 if differences else 0] += 1
        for text in differences:
            print(f"DISAGREE {group} {subject}: {text}")

    def record_deliberate(self, group: str, reason: str) -> None:
        """One input where we differ on purpose; `reason` is the heading that explains it."""
        self.deliberate[f"{group}: {reason}"] += 1

    def table(self) -> None:
        """Print agreement by group."""
        width = max((len(g) for g in self.groups), default=5)
        print(f"{'group':<{width}}  agree  disagree")
        for group, (good, bad) in sorted(self.groups.items()):
            print(f"{group:<{width}}  {good:>5}  {bad:>8}")
        for reason, count in sorted(self.deliberate.items()):
            print(f"deliberate {count:>5}  {reason}")

    def last_line(self) -> str:
        total = self.agreed + self.disagreed
        kept = sum(self.deliberate.values())
        line = f"agree {self.agreed} disagree {self.disagreed} total {total + kept}"
        return f"{line} deliberate {kept}" if kept else line
