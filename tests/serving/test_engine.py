"""Many clients on one model: each finds what it would find alone, and none waits for another."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import echo
import pytest
import tiny
from gated import LONG, gated, started, until

from gridbeam import Avoid, Prefix, Request, Translation, Translator, Unsatisfiable, UserError
from gridbeam.serving import turns
from gridbeam.serving.client import Client, StopSearch, Until
from gridbeam.serving.engine import Engine
from gridbeam.serving.limits import EngineLimits
from gridbeam.serving.refusals import Busy, Stopped, TooSlow
from gridbeam.serving.turns import Turns
from gridbeam.translation.defaults import TRANSLATION

SHORT, LONGER = "The disk", "The disk is full and the file is empty and the screen was deleted."


@cache
def random():
    """A translator with random weights that comes to an end before long."""
    translator = Translator.load(f"hf:{tiny.marian()}", target="de")
    translator.model._model.final_logits_bias[:, translator.model.eos] += 4
    return translator


@pytest.fixture
def engine():
    """An engine whose model waits for leave."""
    found = Engine(gated())
    yield found
    found.translator.model.free()
    found.close()


def requests():
    """Texts with constraints of many kinds, and of many lengths."""
    return [
        "The disk is full.",
        Request("The folder is empty.", ["Ordner"]),
        Request("Why is it that the screen is full?", [Prefix("Die"), "Bildschirm"]),
        Request("The file was deleted.", [Avoid("Datei")]),
        "The drive is full. The disk is empty.",
        Request("The house.", ["Laufwerk", "smoke"]),
    ]


def same(found, alone):
    """Whether two translations are the same but for what differs between batches."""
    return (found.text, found.spans) == (alone.text, alone.spans) and found.score == pytest.approx(
        alone.score, abs=1e-3
    )


def test_many_threads_find_what_each_would_find_alone():
    wanted = requests() * 5
    alone = [random().translate(each) for each in requests()] * 5
    with Engine(random()) as engine, ThreadPoolExecutor(10) as pool:
        found = [*pool.map(lambda each: engine.asking(patience=60).translate(each), wanted)]
    assert all(map(same, found, alone))


def test_a_list_of_requests_comes_to_what_it_comes_to_alone():
    alone = dict(random().translate_each(requests(), beam=3))
    with Engine(random()) as engine:
        found = dict(engine.asking().translate_each(requests(), beam=3, batch_size=2))
    assert sorted(found) == sorted(alone)
    assert all(same(found[number], alone[number]) for number in alone)


def test_what_waits_is_searched_together_whatever_its_constraints_and_limits(engine):
    model, asking = engine.translator.model, engine.asking()
    first = started(lambda: asking.translate(SHORT))
    until(lambda: model.stepped)
    wanted = [Request("The screen", ["screen"]), Request("The file", [Avoid("x")]), "The house"]
    others = [
        started(lambda each=each, most=most: engine.asking().translate(each, max_length=most))
        for most, each in enumerate(wanted, 14)
    ]
    until(lambda: engine.stats.waiting == 3)
    model.free()
    said = [other.result(LONG).text for other in others]
    assert said == ["The screen", "The file", "The house"]
    assert first.result(LONG).text == SHORT
    assert [len(sources) for sources in model.started] == [1, 3]


def test_searches_of_different_options_are_not_mixed(engine):
    model = engine.translator.model
    first = started(lambda: engine.asking().translate(SHORT))
    until(lambda: model.stepped)
    others = [
        started(lambda beam=beam: engine.asking().translate("The file", beam=beam))
        for beam in (2, 3, 2, 3)
    ]
    until(lambda: engine.stats.waiting == 4)
    model.free()
    assert {other.result(LONG).text for other in (first, *others)} == {SHORT, "The file"}
    assert [len(sources) for sources in model.started] == [1, 2, 2]


def test_what_takes_as_long_as_what_runs_waits_for_it(engine):
    model = engine.translator.model
    other = LONGER.replace("file", "house")
    first = started(lambda: engine.asking().translate(LONGER))
    model.let(6)
    until(lambda: len(model.stepped) == 7)
    second = started(lambda: engine.asking().translate(other))
    until(lambda: engine.stats.waiting == 1)
    while not first.done():
        batches = [len(sources) for sources in model.started]
        assert batches == [1] or engine.stats.done
        model.let(1)
        time.sleep(0.02)
    model.free()
    assert second.result(LONG).text == other


def test_a_slow_request_does_not_hold_up_a_fast_one(engine):
    model = engine.translator.model
    slow = started(lambda: engine.asking().translate(LONGER, beam=9))
    model.let(2)
    until(lambda: len(model.stepped) == 3)
    fast = started(lambda: engine.asking().translate(SHORT, beam=2))
    until(lambda: engine.stats.waiting == 1)
    fast_source = engine.translator.plan(SHORT, TRANSLATION).send(None)[0].source
    while not fast.done():
        model.let(1)
        time.sleep(0.005)
    assert fast.result(LONG).text == SHORT and not slow.done()
    after = model.stepped[3:]
    begun = next(n for n, sources in enumerate(after) if fast_source in sources)
    assert begun <= 1
    model.free()
    assert slow.result(LONG).text == LONGER


def test_a_slow_request_comes_to_its_end_however_many_fast_ones_come():
    with Engine(echo.translator()) as engine:
        slow = started(lambda: engine.asking().translate(LONGER * 4, split=False, beam=20))
        until(lambda: engine.stats.running)
        with ThreadPoolExecutor(3) as pool:
            fast = pool.map(
                lambda _: slow.done() or engine.asking().translate(SHORT).text, range(3000)
            )
            assert any(each is True for each in fast)
        assert slow.result().text == (LONGER * 4)


def test_who_asks_for_much_does_not_keep_others_waiting(engine):
    model = engine.translator.model
    many = [f"The disk {number}" for number in range(60)]
    bulk = started(lambda: len([*engine.asking().translate_each(many)]))
    until(lambda: model.stepped)
    single = started(lambda: engine.asking().translate(SHORT))
    until(lambda: engine.stats.waiting > 0 and len(engine._places) == 2)
    waiting = engine.stats.waiting + engine.stats.running
    assert waiting <= 33, "a client has no more than twice its batch in the queue"
    while not single.done():
        model.let(1)
        time.sleep(0.005)
    assert not bulk.done()
    model.free()
    assert bulk.result(LONG) == 60 and single.result().text == SHORT


def test_a_stop_ends_a_search_within_a_column_and_no_other(engine):
    model, stop = engine.translator.model, StopSearch()
    first = started(lambda: engine.asking().translate(SHORT))
    until(lambda: model.stepped)
    stopped = started(lambda: engine.asking(stop=stop).translate(LONGER))
    other = started(lambda: engine.asking().translate(LONGER.replace("file", "house")))
    until(lambda: engine.stats.waiting == 2)
    for _ in range(60):
        if len(model.stepped[-1]) > 5:
            break
        model.let(1)
        time.sleep(0.005)
    stop.set()
    searched = len(model.stepped)
    model.let(1)
    with pytest.raises(Stopped, match="stopped"):
        stopped.result(LONG)
    model.free()
    assert other.result(LONG).text == LONGER.replace("file", "house")
    assert first.result(LONG).text == SHORT
    source = engine.translator.plan(LONGER, TRANSLATION).send(None)[0].source
    # The column that was under way when it was stopped is the last one.
    assert sum(source in sources for sources in model.stepped[searched:]) <= 1
    assert engine.stats.refused == 1


def test_a_request_that_waits_is_stopped_too(engine):
    model, stop = engine.translator.model, StopSearch()
    first = started(lambda: engine.asking().translate(SHORT))
    until(lambda: model.stepped)
    waits = started(lambda: engine.asking(stop=stop).translate("The file"))
    until(lambda: engine.stats.waiting == 1)
    stop.set()
    model.let(1)
    with pytest.raises(Stopped):
        waits.result(LONG)
    model.free()
    assert first.result(LONG).text == SHORT and len(model.started) == 1


def test_who_is_stopped_while_others_are_sent_away_is_told_so_at_the_next_turn():
    class Stopping(StopSearch):
        """Is set as soon as somebody has looked."""

        def is_set(self):
            was = super().is_set()
            self.set()
            return was

    client = Client(Until.from_now(1.0, Stopping()), wants_news=False)
    turns = Turns(gated().model, EngineLimits(), None)
    turns.waiting = [SimpleNamespace(client=client)]
    turns._send_away_the_gone()
    turns._send_away_the_gone()
    with pytest.raises(Stopped, match="was stopped"):
        client.receive()


def test_who_has_no_patience_left_is_told_so_though_the_model_hangs(engine):
    model = engine.translator.model
    began = time.monotonic()
    with pytest.raises(TooSlow, match=r"not over after 0\.2 s"):
        engine.asking(patience=0.2).translate(LONGER)
    assert 0.2 <= time.monotonic() - began < 5
    model.free()
    assert engine.asking().translate(SHORT).text == SHORT
    source = engine.translator.plan(LONGER, TRANSLATION).send(None)[0].source
    assert sum(source in sources for sources in model.stepped) <= 1
    assert engine.stats.refused == 1


def test_patience_is_that_of_all_that_one_asks(engine):
    engine.translator.model.free()
    asking = engine.asking(patience=0.05)
    time.sleep(0.06)
    with pytest.raises(TooSlow):
        asking.translate(SHORT)
    assert not engine.translator.model.started


def test_a_full_queue_refuses_until_there_is_a_place():
    with Engine(gated(), EngineLimits(queue=2)) as engine:
        model = engine.translator.model
        first = [started(lambda: engine.asking().translate(SHORT)) for _ in range(2)]
        until(lambda: len(engine._places) == 2)
        with pytest.raises(Busy, match="all 2 places of the queue are taken"):
            engine.asking().translate(SHORT)
        assert engine.stats.refused == 1
        model.free()
        assert {each.result(LONG).text for each in first} == {SHORT}
        assert engine.asking().translate(SHORT).text == SHORT


def test_what_is_asked_on_the_way_needs_no_place_of_its_own():
    with Engine(echo.translator(), EngineLimits(queue=1)) as engine:
        asking = engine.asking()
        found = {
            number: (one.text, asking.translate("The house").text)
            for number, one in asking.translate_each([SHORT, "The file"])
        }
        assert found == {0: (SHORT, "The house"), 1: ("The file", "The house")}
        assert engine.asking().translate(SHORT).text == SHORT


def test_wrong_requests_are_told_to_those_who_made_them():
    too_long = Request(SHORT, [" ".join(["full"] * 9)])
    with Engine(echo.translator()) as engine:
        found = dict(engine.asking().translate_each([SHORT, too_long], max_length=8))
        with pytest.raises(Unsatisfiable, match="max_length"):
            engine.asking().translate(too_long, max_length=8)
        with pytest.raises(UserError, match="score="):
            engine.asking().translate(SHORT, score=lambda new: None)
        with pytest.raises(UserError, match="give a list"):
            engine.asking().translate_each(SHORT)
    assert isinstance(found[0], Translation) and isinstance(found[1], Unsatisfiable)
    (_, alone) = dict(echo.translator().translate_each([SHORT, too_long], max_length=8)).values()
    assert str(found[1]) == str(alone)


def test_a_model_that_raises_for_one_request_raises_for_no_other(engine):
    model = engine.translator.model
    first = started(lambda: engine.asking().translate(SHORT))
    until(lambda: model.stepped)
    model.fails_for = engine.translator.plan("The house", TRANSLATION).send(None)[0].source
    texts = ["The file", "The house", "The drive"]
    others = [started(lambda text=text: engine.asking().translate(text)) for text in texts]
    until(lambda: engine.stats.waiting == 3)
    model.free()
    assert first.result(LONG).text == SHORT
    assert others[0].result(LONG).text == "The file"
    assert others[2].result(LONG).text == "The drive"
    with pytest.raises(RuntimeError, match="broken down"):
        others[1].result(LONG)
    assert max(map(len, model.started)) == 3


def test_who_stops_reading_has_no_searches_left(engine):
    model = engine.translator.model
    each = engine.asking().translate_each([SHORT, *[f"{LONGER} {n}" for n in range(5)]])
    first = started(lambda: next(each))
    while not first.done():
        model.let(1)
        time.sleep(0.005)
    each.close()
    searched = len(model.stepped)
    model.free()
    until(lambda: engine.stats.waiting + engine.stats.running == 0)
    assert len(model.stepped) <= searched + 8
    assert not engine._places


def test_who_waits_while_the_engine_is_closed_is_told_so():
    engine = Engine(gated())
    model = engine.translator.model
    clients = [started(lambda: engine.asking().translate(SHORT))]
    until(lambda: model.stepped)
    clients.append(started(lambda: engine.asking().translate("The file", beam=2)))
    until(lambda: engine.stats.waiting == 1)
    closing = started(engine.close)
    until(lambda: engine._why_closed)
    model.let(1)
    closing.result(LONG)
    for client in clients:
        with pytest.raises(Stopped, match="the engine is closed"):
            client.result(LONG)
    with pytest.raises(Stopped, match="closed"):
        engine.asking().translate(SHORT)
    assert not engine._worker.is_alive()
    engine.close()


def test_a_worker_that_breaks_down_leaves_nobody_waiting(engine, monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    monkeypatch.setattr(engine._turns, "take_turn", lambda: 1 / 0)
    with pytest.raises(Stopped, match="broken down"):
        engine.asking().translate(SHORT)
    until(lambda: told)
    assert told[0].exc_type is ZeroDivisionError


def test_an_interpreter_ends_while_a_request_is_searched_for():
    program = (
        "import atexit, sys; sys.path[:0] = sys.argv[1:]\n"
        "atexit.register(lambda: print(engine._worker.is_alive(), len(model.stepped) < 9))\n"
        "from gated import gated, started, until\n"
        "from gridbeam.serving.engine import Engine\n"
        "engine = Engine(gated()); model = engine.translator.model\n"
        "model.pause = 0.2; model.free()\n"
        "client = started(lambda: engine.asking().translate('The disk is full and empty.'))\n"
        "until(lambda: len(model.stepped) == 2)\n"
    )
    here = Path(__file__).parent
    run = subprocess.run(
        [sys.executable, "-c", program, str(here), str(here.parent)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.stdout, run.returncode) == ("False True\n", 0), run.stderr
    assert "Traceback" not in run.stderr


def test_stats_count_what_is_done(engine):
    engine.translator.model.free()
    engine.asking().translate("The disk. The file.")
    stats = engine.stats
    assert (stats.done, stats.waiting, stats.running, stats.refused) == (2, 0, 0, 0)
    assert stats.columns == len(engine.translator.model.stepped) and stats.seconds > 0


@pytest.mark.slow
def test_the_model_that_ships_says_the_same_to_many_at_once():
    translator = Translator.load("builtin:en-de")
    wanted = [
        "The disk is full.",
        Request("The new settings are stored on the disk.", ["Platte"]),
        Request("Click the button to open the folder.", [Prefix("Bitte"), "Verzeichnis"]),
        "The window is closed. The file was deleted by another program.",
    ]
    alone = [translator.translate(each) for each in wanted] * 2
    with Engine(translator) as engine, ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda each: engine.asking(patience=90).translate(each), wanted * 2)]
    assert all(map(same, found, alone))


def lines(number):
    return [f"The file is full and the disk is empty {'and so ' * n}" for n in range(number)]


def test_what_is_asked_in_the_background_rests_while_somebody_asks(engine, monkeypatch):
    monkeypatch.setattr(turns, "_REST", 60.0)
    model = engine.translator.model
    slow = started(lambda: dict(engine.asking(background=True).translate_each(lines(3))))
    until(lambda: model.stepped)
    first = started(lambda: engine.asking().translate(SHORT))
    until(lambda: engine.stats.waiting == 1)
    model.let(1)
    until(lambda: len(model.started) == 2)
    before = len(model.stepped)
    while not first.done():
        model.let(1)
        time.sleep(0.01)
    assert first.result().text == SHORT
    resting, (asked,) = set(model.started[0]), model.started[1]
    last = max(n for n, each in enumerate(model.stepped) if asked in each)
    assert before < last
    assert not any(resting & set(each) for each in model.stepped[before : last + 1])
    model.free()
    assert len(slow.result(LONG)) == 3


def test_between_two_searches_of_somebody_the_background_rests_too(engine, monkeypatch):
    monkeypatch.setattr(turns, "_REST", 60.0)
    model, asking = engine.translator.model, engine.asking()
    slow = started(lambda: dict(engine.asking(background=True).translate_each(lines(3))))
    until(lambda: model.stepped)
    with engine.place(asking):
        model.let(1)
        until(lambda: engine.stats.columns == 1)
        model.free()
        time.sleep(0.1)
        assert len(model.stepped) == 1 and not slow.done()
        assert asking.translate(SHORT).text == SHORT and not slow.done()
    assert len(slow.result(LONG)) == 3


def test_what_is_asked_in_the_background_comes_to_an_end_however_many_ask(monkeypatch):
    monkeypatch.setattr(turns, "_REST", 0.005)
    with Engine(gated()) as engine:
        engine.translator.model.free()
        engine.translator.model.pause = 0.001
        slow = started(lambda: dict(engine.asking(background=True).translate_each(lines(3))))
        while not slow.done():
            assert engine.asking(patience=LONG).translate(SHORT).text == SHORT
        assert len(slow.result()) == 3


def test_a_batch_in_the_background_is_small(engine):
    model = engine.translator.model
    words = ("file", "disk", "house", "screen", "folder", "drive", "smoke")
    wanted = [f"The {one} {other}" for one in words for other in words][:40]
    slow = started(lambda: dict(engine.asking(background=True).translate_each(wanted)))
    model.free()
    assert len(slow.result(LONG)) == 40
    most = engine.limits.background // TRANSLATION.beam
    assert 1 < max(map(len, model.started)) <= most
