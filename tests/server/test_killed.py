"""A server that is killed in mid-request has every act that it acknowledged at its next start."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
from small_files import model

LINES = "\n".join(f"The disk {n} is full." for n in range(8))
KILLS = 4
"""In mid-request; once more at the end, when all is quiet."""


@contextmanager
def server(database):
    """A server in a process of its own, which is killed at the end whatever it is doing."""
    words = ("serve", "--port", 0, "--model", model(), "--database", database)
    process = subprocess.Popen(
        [sys.executable, "-m", "gridbeam", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


def ask(address, path, body=None):
    """The JSON that a path answers."""
    request = urllib.request.Request(
        f"{address}api/{path}",
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def keep_acting(address, segment, acknowledged, number):
    """Acts on a segment until the server is gone; takes down what was acknowledged."""
    acts = random.Random(number)
    version = ask(address, f"segments/{segment}")["version"]
    while True:
        text = f"Text {acts.random()}"
        body = {"act": "write", "text": text} if number else {"act": "translate"}
        if not number and version:
            body = {"act": "complete", "left": f"Die {acts.random():.2}"}
        try:
            path = f"segments/{segment}/acts"
            found = ask(address, path, {"version": version, "seconds": 1, **body})["segment"]
        except urllib.error.HTTPError:
            return  # what a random model cannot say
        except (OSError, ValueError):
            return
        version = found["version"]
        acknowledged.append((segment, version, found["target"] and found["target"]["text"]))


@pytest.mark.slow
def test_every_acknowledged_act_outlives_a_kill(tmp_path):
    database, acknowledged = tmp_path / "work.db", []
    project = None
    for kill in range(KILLS):
        with server(database) as address:
            if project is None:
                project = ask(address, "projects", {"text": LINES, "target": "de"})["id"]
            check(address, project, acknowledged)
            rows = ask(address, f"projects/{project}/segments")["segments"]
            threads = [
                threading.Thread(target=keep_acting, args=(address, row["id"], acknowledged, n))
                for n, row in enumerate(rows[:4])
            ]
            before = len(acknowledged)
            ask(address, f"projects/{project}/translate", {})
            for each in threads:
                each.start()
            while len(acknowledged) < before + 10:
                time.sleep(0.01)
            time.sleep(random.Random(kill).random() / 5)
        for each in threads:
            each.join()
    with server(database) as address:
        check(address, project, acknowledged)
    assert len(acknowledged) >= 10 * KILLS


def check(address, project, acknowledged):
    """Compares the log of a project with what was acknowledged."""
    log = ask(address, f"projects/{project}/study")["acts"]
    texts = {(act["segment"], act["version"]): act["text"] for act in log}
    for segment, version, text in acknowledged:
        assert texts[segment, version] == text
    newest = {segment: version for segment, version, _ in acknowledged}
    rows = ask(address, f"projects/{project}/segments")["segments"]
    for row in rows:
        assert row["version"] >= newest.get(row["id"], 0)
