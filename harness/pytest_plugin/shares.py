"""Which worker runs which cases: shares, each run once by whoever needs it first.

A worker never knows what it will be given, whatever `--dist` says. So the selected cases are dealt
into as many shares as there are workers, alike in each; the first worker that needs a case of a
share takes the share's lock, runs it as one pack, and leaves the answers in a file for the others.
A worker that would have to wait runs its own share first. The lock goes with the process that has
it, so a worker that dies is no obstacle. Where workers share no files, each runs what it needs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from filelock import FileLock, Timeout

from harness.errors import HarnessError, UsageError
from harness.pytest_plugin.answer import Answer, Chosen, Stopped
from harness.pytest_plugin.options import PluginOptions

Pack = Callable[[Sequence[Chosen]], Mapping[str, Answer]]
STOPPED = "stopped.txt"


def selection(found: Iterable[Chosen]) -> dict[str, Chosen]:
    """Return the cases by key, each once; UsageError when two files give one id."""
    chosen: dict[str, Chosen] = {}
    for one in found:
        other = chosen.setdefault(one.key, one).case.scenario
        if other.file != one.case.scenario.file:
            raise UsageError(
                f"{other.file} and {one.case.scenario.file} both have the id {other.id}",
                hint="rename one of them",
            )
    return chosen


def deal(chosen: Mapping[str, Chosen], shares: int) -> tuple[tuple[str, ...], ...]:
    """Return the keys of each share: whole scenarios, the next one always to the smallest share.

    The order of `chosen` does not matter: workers may shuffle their items.
    """
    together: dict[tuple[str, str], list[str]] = {}
    for key, one in sorted(chosen.items()):
        together.setdefault((str(one.root), one.case.scenario.id), []).append(key)
    dealt: list[list[str]] = [[] for _ in range(shares)]
    for keys in together.values():
        min(dealt, key=len).extend(keys)
    return tuple(map(tuple, dealt))


class Shares:
    """The answers of all shares, as this worker learns them."""

    def __init__(self, chosen: Mapping[str, Chosen], options: PluginOptions, pack: Pack) -> None:
        """Take the selected cases by key; `pack` runs some of them."""
        self._chosen = chosen
        self._options = options
        self._pack = pack
        self._dealt = deal(chosen, options.workers)
        self._share_of = {key: n for n, keys in enumerate(self._dealt) for key in keys}
        self._answers: dict[str, Answer] = {}

    def answer(self, key: str) -> Answer:
        """Return what was said of a case, running what has to run; Stopped when that cannot be."""
        if key not in self._answers:
            own, needed = self._options.worker, self._share_of[key]
            if own != needed and not set(self._dealt[own]) <= self._answers.keys():
                self._settle(own, wait=False)
            self._settle(needed, wait=True)
        return self._answers[key]

    def _settle(self, share: int, *, wait: bool) -> None:
        """Learn a share's answers; without waiting, leave it when another worker has it."""
        try:
            directory = self._options.directory
            # Whoever holds the lock is bounded by the consumer's deadline, and dies with it.
            with FileLock(directory / f"share-{share}.lock", blocking=wait):
                self._learn(share)
        except Timeout:
            return
        except HarnessError as error:
            raise self._stopped(error) from None

    def _learn(self, share: int) -> None:
        directory = self._options.directory
        stopped = directory / STOPPED
        if stopped.is_file():
            raise Stopped(stopped.read_text(encoding="utf-8"), reported=True)
        file = directory / f"share-{share}.json"
        if not file.is_file():
            answers = self._pack([self._chosen[key] for key in self._dealt[share]])
            scratch = file.with_suffix(".tmp")
            rows = {key: asdict(answer) for key, answer in answers.items()}
            scratch.write_text(json.dumps(rows), encoding="utf-8")
            scratch.replace(file)
        read: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
        self._answers |= {key: Answer(**row) for key, row in read.items()}

    def _stopped(self, error: HarnessError) -> Stopped:
        """Return why nothing goes on; only the first worker to say so is to be heard."""
        text = str(error)
        try:
            with (self._options.directory / STOPPED).open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            return Stopped(text, error.exit_code, reported=True)
        except (HarnessError, OSError):
            pass  # nobody else can be informed
        return Stopped(text, error.exit_code, reported=False)
