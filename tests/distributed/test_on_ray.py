"""The same by Ray: a cluster of this machine, whose workers are killed as well."""

from __future__ import annotations

import importlib.util
import os
import signal
import threading
import time
from pathlib import Path

import pytest
import small_files
from small_jobs import at_work, job, sentences, sharded

from gridbeam.distributed import on_ray
from gridbeam.distributed.engines import engine_of
from gridbeam.distributed.terms import extract_by_many
from gridbeam.errors import UserError
from gridbeam.files import Instructions
from gridbeam.terminology.extract import extract
from gridbeam.translation.defaults import TRANSLATION
from gridbeam.translation.translator import Translator

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="needs ray: pip install 'gridbeam[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def engine():
    """Two workers of a Ray that is started for these tests, and can import what they import."""
    ray = pytest.importorskip("ray", reason="needs ray: pip install 'gridbeam[ray]'")
    here = Path(__file__).parent
    paths = os.pathsep.join(map(str, (here, here.parent, here.parent.parent)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", paths)
        try:
            yield engine_of("ray", workers=2, address="local", device="cpu")
        finally:
            ray.shutdown()


@needs_ray
def test_ray_writes_what_one_process_writes_whoever_is_killed(engine, file, tmp_path):
    lines = sentences(8, n1="A slow disk.", n4="A slow screen.", n7="Over.")
    path, out = file("a.txt", lines), tmp_path / "out"
    killed: list[int] = []

    def kill_one():
        until = time.monotonic() + 60
        while not killed and time.monotonic() < until:
            if processes := at_work(out):
                killed.append(processes[0])
                os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.001)

    killer = threading.Thread(target=kill_one)
    killer.start()
    summary = sharded(job(path, out), engine=engine, shards=2)
    killer.join()
    assert killed
    assert (out / "a.txt").read_text() == lines  # by a translator that repeats its source
    assert (summary.translated, summary.unmet) == (8, 0)


@needs_ray
def test_terms_by_ray_are_those_of_one_machine(engine, file):
    source = file("a.en", "The hard disk is full.\nThe hard disk is old.\nA file.\n" * 4)
    target = file("a.de", "Die feste Platte ist voll.\nDie feste Platte ist alt.\nDatei.\n" * 4)
    found = extract_by_many(source, target, engine, source.parent, segments_at_once=5)
    assert found == extract(source, target) != []


@needs_ray
def test_a_dataset_is_translated_row_by_row(engine):
    import ray

    from gridbeam.distributed import translate

    ray.data.DataContext.get_current().enable_progress_bars = False
    texts = ["The disk is full.", "The screen is empty.", "The folder."]
    rows = [{"id": n, "text": text} for n, text in enumerate(texts)]
    rows[1]["constraints"] = ["Bildschirm"]
    instructions = Instructions(search=TRANSLATION.but(beam=2), batch_size=2)
    dataset = ray.data.from_items(rows)
    made = translate(dataset, instructions, model=small_files.model(), workers=1, device="cpu")
    found = {row["id"]: row for row in made.take_all()}
    translator = Translator.load(small_files.model(), device="cpu")
    for number in (0, 2):
        alone = translator.translate(texts[number], options=instructions.search)
        assert found[number]["translation"] == alone.text
    assert "Bildschirm" in found[1]["translation"] and found[1]["unmet"] == ""


@needs_ray
def test_what_is_no_dataset_is_refused(engine):
    from gridbeam.distributed import translate

    with pytest.raises(UserError, match="this is no dataset of Ray but a list"):
        translate(["The disk is full."])


def test_without_ray_a_line_says_how_to_have_it(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(on_ray, "import_module", missing)
    with pytest.raises(UserError, match=r"Ray is not installed: pip install 'gridbeam\[ray\]'"):
        engine_of("ray", workers=1, address=None, device="cpu")


@needs_ray
def test_a_cluster_that_is_not_there_is_told(monkeypatch):
    ray = pytest.importorskip("ray")

    def init(**options):
        raise ConnectionError("Could not find any running Ray instance.\nmore")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(UserError, match=r"--address auto: there is no Ray to be found \(Could not"):
        on_ray.connect("auto", 1)
