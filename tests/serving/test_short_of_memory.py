"""An engine whose batches do not fit in memory goes on with smaller ones."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import echo
import pytest
from crammed import SHORTAGES, crammed

from gridbeam import Request, UserError
from gridbeam.serving.engine import Engine

TEXTS = [f"The {noun} is full." for noun in ["disk", "drive", "screen", "folder", "file", "house"]]


@pytest.mark.parametrize("shortage", SHORTAGES, ids=["memory", "gpu", "cpu"])
def test_each_client_gets_what_it_would_get_alone(shortage, caplog):
    caplog.set_level(logging.WARNING, "gridbeam")
    with Engine(crammed(room=12, shortage=shortage)) as engine:
        with ThreadPoolExecutor(len(TEXTS)) as clients:
            found = list(clients.map(lambda text: engine.asking().translate(text), TEXTS))
        several = dict(engine.asking().translate_each(TEXTS))
    alone = [echo.translator().translate(text).text for text in TEXTS]
    assert [each.text for each in found] == alone
    assert [several[number].text for number in range(len(TEXTS))] == alone
    assert "does not fit in memory: it is tried in smaller batches" in caplog.text


def test_what_does_not_fit_alone_is_refused_to_its_client_only():
    large = Request(TEXTS[0], ["Laufwerk", "Ordner", "Festplatte"])
    with Engine(crammed(room=12)) as engine, ThreadPoolExecutor(4) as clients:
        refused = clients.submit(engine.asking().translate, large)
        others = [clients.submit(engine.asking().translate, text) for text in TEXTS]
        with pytest.raises(UserError, match="lower beam or max_length"):
            refused.result()
        assert [each.result().text for each in others] == TEXTS
