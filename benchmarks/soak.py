"""A server that is asked for twice what it can do, by clients of all its faces, for minutes.

    python benchmarks/soak.py [--seconds 600] [--save]

Each request has a source whose answer is known from a run in which nothing else was asked, so that
a wrong answer is seen, and one that is meant for another. Requests come evenly, at twice the rate
at which the server answers clients that never pause; who finds no place, or waits too long, is
refused. What the server takes of memory is looked at once a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from gridbeam.server.patience import FacePatience
from gridbeam.server.settings import RequestLimits
from gridbeam.support.signature import signature

RESULTS = Path(__file__).parent / "results" / "soak.json"
SOURCES = [
    "The disk is full.",
    "The new file was deleted by another user of this program.",
    "Close the window and open the folder again.",
    "All changes are lost if the computer is switched off.",
    "There is no printer on this network.",
    "Enter the name of the key and press the button.",
]
LAST_PLACES = 4
"""How many clients ask without a pause while the capacity is measured."""
TRIES = 10
REFUSALS = (503, 504)
"""No place, and too slow: what the page of each face says of a server that has too much to do."""


@dataclass(frozen=True)
class Ask:
    """A request as one face takes it, and how long that face lets it wait."""

    face: str
    source: str
    method: str
    path: str
    said: dict[str, Any]
    patience: float

    @property
    def key(self) -> str:
        """What it is known by."""
        return f"{self.face}: {self.source}"

    async def sent(self, client: httpx.AsyncClient) -> httpx.Response:
        """What the server answers."""
        how = {"params": self.said} if self.method == "GET" else {"json": self.said}
        return await client.request(self.method, self.path, **how)

    def text(self, answer: Any) -> str:
        """The translation in the JSON of an answer."""
        match self.face:
            case "deepl":
                found = answer["translations"][0]["text"]
            case "libretranslate":
                found = answer["translatedText"]
            case "apertium":
                found = answer["responseData"]["translatedText"]
            case _:
                found = answer["text"]
        return str(found)


def asks() -> list[Ask]:
    """Every source at every face; at our own also with a constraint."""
    waits, own = FacePatience(), RequestLimits().seconds
    found = []
    for source in SOURCES:
        wish = {"source": source, "target_language": "de"}
        must = {**wish, "constraints": ["Laufwerk"]}
        deepl = {"text": [source], "source_lang": "EN", "target_lang": "DE"}
        libre = {"q": source, "source": "en", "target": "de"}
        pair = {"q": source, "langpair": "en|de"}
        found += [
            Ask("own", source, "POST", "/api/translate", wish, own),
            Ask("constrained", source, "POST", "/api/translate", must, own),
            Ask("deepl", source, "POST", "/v2/translate", deepl, waits.deepl),
            Ask("libretranslate", source, "POST", "/translate", libre, waits.libretranslate),
            Ask("apertium", source, "GET", "/translate", pair, waits.apertium),
        ]
    return found


@dataclass
class Seen:
    """What became of the requests of a soak."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Of each answer, by face, refusals among them."""
    statuses: Counter[str] = field(default_factory=Counter)
    """How often each face answered with each status."""
    wrong: list[str] = field(default_factory=list)
    """Answers that are not those of a run alone, and refusals that no page speaks of."""
    resident: list[float] = field(default_factory=list)
    """MiB that the server takes, once a second."""

    def note(self, ask: Ask, answer: httpx.Response, right: str, seconds: float) -> None:
        """Takes down an answer."""
        self.seconds.setdefault(ask.face, []).append(seconds)
        self.statuses[f"{ask.face} {answer.status_code}"] += 1
        if answer.status_code == 200 and ask.text(answer.json()) != right:
            self.wrong.append(f"{ask.key} -> {answer.text}, not {right}")
        elif answer.status_code not in (200, *REFUSALS):
            self.wrong.append(f"{ask.face}: {answer.status_code} {answer.text}")
        elif answer.status_code == 503 and "retry-after" not in answer.headers:
            self.wrong.append(f"{ask.face}: 503 does not say when to come back")

    def p99(self, face: str) -> float:
        """Seconds that 99 of 100 requests at a face waited at most."""
        return statistics.quantiles(self.seconds[face], n=100, method="inclusive")[-1]

    @property
    def answered(self) -> int:
        """How many requests were answered with a translation."""
        return sum(count for name, count in self.statuses.items() if name.endswith(" 200"))

    @property
    def growth(self) -> float:
        """MiB that it took more at the end than after a third of the time, in the median."""
        third = len(self.resident) // 3
        middle, last = self.resident[third : 2 * third], self.resident[2 * third :]
        return statistics.median(last) - statistics.median(middle)


@contextmanager
def server(queue: int, log: Path) -> Iterator[tuple[str, int]]:
    """Within it a server in a process of its own: its address and the id of its process."""
    words = ["serve", "--port", "0", "--model", "builtin:en-de", "--queue", str(queue)]
    with log.open("w") as messages:
        process = subprocess.Popen(
            [sys.executable, "-m", "gridbeam", *words, "--database", str(log.parent / "work.db")],
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()
            process.wait(30)
            assert process.stdout is not None
            process.stdout.close()


def resident(process: int) -> float:
    """The MiB of memory that a process takes, on Linux."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


async def alone(client: httpx.AsyncClient, wanted: list[Ask]) -> dict[str, str]:
    """What each request is answered when nothing else is asked."""
    return {ask.key: await right_answer(client, ask) for ask in wanted}


async def right_answer(client: httpx.AsyncClient, ask: Ask) -> str:
    """What it is answered; a machine that has other work may be too slow a few times."""
    for _ in range(TRIES):
        answer = await ask.sent(client)
        if answer.status_code not in REFUSALS:
            break
    answer.raise_for_status()
    return ask.text(answer.json())


async def capacity(client: httpx.AsyncClient, wanted: list[Ask], seconds: float) -> float:
    """Requests in a second that the server answers to some clients that never pause."""
    end, done = time.monotonic() + seconds, 0

    async def ask_on(number: int) -> None:
        nonlocal done
        while time.monotonic() < end:
            await wanted[(number + done * 7) % len(wanted)].sent(client)
            done += 1

    began = time.monotonic()
    await asyncio.gather(*map(ask_on, range(LAST_PLACES)))
    return done / (time.monotonic() - began)


async def loaded(
    client: httpx.AsyncClient, wanted: list[Ask], right: dict[str, str], rate: float, seconds: float
) -> Seen:
    """What becomes of so many requests a second, however long each takes."""
    seen, running = Seen(), set[asyncio.Task[None]]()

    async def ask_once(ask: Ask) -> None:
        began = time.monotonic()
        answer = await ask.sent(client)
        seen.note(ask, answer, right[ask.key], time.monotonic() - began)

    began = time.monotonic()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        task = asyncio.create_task(ask_once(wanted[number * 7 % len(wanted)]))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    return seen


async def watched(process: int, seen: list[float]) -> None:
    """Takes down the memory of a process once a second, until it is cancelled."""
    while True:
        seen.append(resident(process))
        await asyncio.sleep(1)


async def soaked(address: str, process: int, seconds: float) -> tuple[Seen, float]:
    """What became of a soak of so many seconds, and the capacity it was twice of."""
    wanted = asks()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        right = await alone(client, wanted)
        able = await capacity(client, wanted, min(10.0, seconds / 6))
        memory: list[float] = []
        watching = asyncio.create_task(watched(process, memory))
        seen = await loaded(client, wanted, right, 2 * able, seconds)
        watching.cancel()
        again = await alone(client, wanted)
    seen.resident = memory
    seen.wrong += [f"afterwards {key}" for key in right if again[key] != right[key]]
    return seen, able


def soak(seconds: float, queue: int, folder: Path) -> tuple[Seen, float]:
    """Starts a server, soaks it and ends it."""
    with server(queue, folder / "log.txt") as (address, process):
        return asyncio.run(soaked(address, process, seconds))


def rows_of(seen: Seen) -> list[dict[str, object]]:
    """A line for each face."""
    return [
        {
            "face": face,
            "answered": seen.statuses[f"{face} 200"],
            "503": seen.statuses[f"{face} 503"],
            "504": seen.statuses[f"{face} 504"],
            "p50 s": round(statistics.median(seconds), 2),
            "p99 s": round(seen.p99(face), 2),
        }
        for face, seconds in sorted(seen.seconds.items())
    ]


def main() -> None:
    """Prints what became of it, and with --save writes it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        seen, able = soak(options.seconds, RequestLimits().queue, Path(folder))
    found = {
        "signature": f"{signature()}, load {before:.1f} before",
        "seconds": options.seconds,
        "capacity": round(able, 2),
        "asked": sum(seen.statuses.values()),
        "answered": seen.answered,
        "wrong": len(seen.wrong),
        "resident MiB": round(statistics.median(seen.resident), 0),
        "growth MiB": round(seen.growth, 1),
        "rows": rows_of(seen),
    }
    print(json.dumps(found, indent=1), *seen.wrong[:20], sep="\n")
    if options.save:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
