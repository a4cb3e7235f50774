"""Several servers on one database, behind a proxy: nobody overwrites anybody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle
from urllib.parse import urlsplit

import pytest
from small_files import model
from typer.testing import CliRunner

from gridbeam.cli import app


@contextmanager
def replica(*words: object, seconds: float = 120.0) -> Iterator[str]:
    """The address of `gridbeam serve` in a process of its own, ended by SIGTERM."""
    command = [sys.executable, "-m", "gridbeam", "serve", "--port", 0, "--model", model(), *words]
    process = subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    late = threading.Timer(seconds, process.kill)
    late.start()
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        late.cancel()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


@contextmanager
def proxy(addresses: list[str]) -> Iterator[str]:
    """A proxy that gives each connection to the next of some servers."""
    turns, started, ended = cycle(addresses), Future[int](), threading.Event()

    async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to = urlsplit(next(turns))
        behind, before = await asyncio.open_connection(to.hostname, to.port)
        both = copied(reader, before), copied(behind, writer)
        await asyncio.gather(*both, return_exceptions=True)

    async def serve() -> None:
        async with await asyncio.start_server(passed_on, "127.0.0.1", 0) as server:
            started.set_result(server.sockets[0].getsockname()[1])
            await asyncio.to_thread(ended.wait)
            await asyncio.sleep(0.2)  # connections that have been answered are closed

    thread = threading.Thread(target=asyncio.run, args=[serve()])
    thread.start()
    try:
        yield f"http://127.0.0.1:{started.result(30)}/"
    finally:
        ended.set()
        thread.join()


def ask(address: str, path: str, body: object = None) -> tuple[int, dict]:
    """The status and the JSON that a path answers, on a connection of its own."""
    request = urllib.request.Request(
        f"{address}api/{path}",
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "Connection": "close"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def write_on(
    address: str, segment: int, name: str, times: int
) -> tuple[list[tuple[int, str]], int]:
    """What a person has written into a segment, by version, and how often another was faster."""
    won, lost = [], 0
    version = ask(address, f"segments/{segment}")[1]["version"]
    for number in range(times):
        act = {"act": "write", "text": f"{name} {number}", "seconds": 1, "version": version}
        status, found = ask(address, f"segments/{segment}/acts", act)
        if status == 200:
            version = found["segment"]["version"]
            won.append((version, act["text"]))
        else:
            assert status == 409, found
            version = ask(address, f"segments/{segment}")[1]["version"]
            lost += 1
    return won, lost


@pytest.mark.slow
def test_acts_through_two_replicas_on_one_postgresql_overwrite_nothing(postgresql):
    url = postgresql.new_database()
    with ExitStack() as running:
        both = [running.enter_context(replica("--database", url)) for _ in range(2)]
        address = running.enter_context(proxy(both))
        project = ask(address, "projects", {"text": "The disk is full.", "target": "de"})[1]["id"]
        rows = [ask(each, f"projects/{project}/segments")[1]["segments"] for each in both]
        assert rows[0] == rows[1]
        segment = rows[0][0]["id"]
        with ThreadPoolExecutor(4) as people:
            done = [people.submit(write_on, address, segment, f"{n}", 12) for n in range(4)]
            found = [each.result() for each in done]
        acts = ask(address, f"projects/{project}/study")[1]["acts"]
    stored = {act["version"]: act["text"] for act in acts}
    won = [each for own, _ in found for each in own]
    assert len({version for version, _ in won}) == len(won), "two were told that they were first"
    assert stored == dict(won)
    assert sum(lost for _, lost in found) > 0, "nobody was ever slower"
    postgresql.give_back(url)


@pytest.mark.slow
def test_ray_serves_replicas_of_the_server(tmp_path):
    words = ("--engine", "ray", "--replicas", 2, "--database", tmp_path / "work.db")
    with replica(*words, seconds=300) as address:
        assert address.startswith("http://127.0.0.1:")
        wish = {"source": "The disk is full.", "constraints": ["Laufwerk"]}
        with ThreadPoolExecutor(4) as clients:
            found = list(clients.map(lambda _: ask(address, "translate", wish), range(8)))
        assert [status for status, _ in found] == [200] * 8
        assert len({answer["text"] for _, answer in found}) == 1
        assert "Laufwerk" in found[0][1]["text"]
        status, told = ask(address, "translate", {"source": "x" * 20_001})
        assert status == 422 and told["remedy"] is not None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--replicas", "2"], "--replicas 2 needs --engine ray"),
        (["--engine", "ray", "--memory-limit", "4GiB"], "--memory-limit bounds one process"),
    ],
)
def test_what_replicas_cannot_do_is_told(words, told):
    done = CliRunner().invoke(app, ["serve", *words])
    assert done.exit_code == 2
    assert told in done.stderr


def test_without_ray_its_engine_is_refused_with_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ["serve", "--engine", "ray", "--port", "0", "--database", str(tmp_path / "work.db")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "needs Ray, which is not installed: pip install 'gridbeam[ray]'" in done.stderr
