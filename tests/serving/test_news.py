"""What a client hears while its search goes on, and how that is told."""

from __future__ import annotations

import json
import threading

import echo
import pytest
from gated import LONG, started

from gridbeam import Request
from gridbeam.serving.engine import Engine
from gridbeam.serving.news import GridColumn
from gridbeam.serving.tokenizer import SharedTokenizer
from gridbeam.translation.drafts import DRAFT_EVERY, Draft

TEXT = "The disk is full and the file is empty and the screen was deleted."


@pytest.fixture
def engine():
    with Engine(echo.translator()) as found:
        yield found


def test_drafts_grow_into_the_translation(engine):
    news = []
    found = engine.asking(news=news.append).translate(TEXT)
    assert all(isinstance(each, Draft) for each in news)
    columns = [draft.column for draft in news]
    assert columns == [*range(DRAFT_EVERY, columns[-1] + 1, DRAFT_EVERY)]
    assert len(columns) > 3
    assert all(found.text.startswith(draft.text) for draft in news)
    lengths = [len(draft.text) for draft in news]
    assert lengths == sorted(lengths) and len(set(lengths)) > 2 and lengths[0] > 0


def test_a_draft_of_several_sentences_has_all_that_are_there(engine):
    news = []
    text = "The disk is full. The screen is empty."
    engine.asking(news=news.append).translate(text)
    assert news[-1].text in ("The disk The screen", "The disk is full. The screen is empty.")


def test_the_columns_that_are_told_are_those_of_the_recorded_grid(engine):
    news = []
    request = Request("The disk is full.", ["Ordner"])
    found = engine.asking(news=news.append).translate(request, trace=True)
    columns = [each for each in news if isinstance(each, GridColumn)]
    trace = found.sentences[0].hypothesis.trace
    assert [each.hypotheses for each in columns] == [*trace.columns[: len(columns)]]
    assert len(columns) >= len(trace.columns) - 1
    assert [each.column for each in columns] == [*range(len(columns))]
    shown = json.loads(json.dumps(columns[1].as_json()))
    assert (shown["sentence"], shown["column"]) == (0, 1)
    first = trace.columns[1][0]
    assert shown["hypotheses"][0] == {
        "id": "1.0",
        "parent": f"0.{first.parent}",
        "token": engine.translator.word(first.token),
        "row": first.row,
        "covered": trace.owed_at_start - first.row,
        "origin": ["generate", "start", "continue"][first.origin],
        "log_prob": first.log_prob,
        "score": first.score,
        "is_open": first.is_open,
        "is_ended": first.is_ended,
    }
    assert columns[0].as_json()["hypotheses"][0]["parent"] is None


def test_columns_are_told_only_where_the_grid_is_asked_for(engine):
    news = []
    engine.asking(news=news.append).translate(TEXT)
    assert not any(isinstance(each, GridColumn) for each in news)


def test_news_are_told_in_the_thread_of_the_client(engine):
    threads = []
    engine.asking(news=lambda _: threads.append(threading.current_thread())).translate(TEXT)
    assert {*threads} == {threading.current_thread()}


def test_a_mistake_of_who_hears_news_is_its_own(engine):
    def wrong(news):
        raise LookupError("mine")

    wrongly = started(lambda: engine.asking(news=wrong).translate(TEXT))
    rightly = started(lambda: engine.asking().translate(TEXT))
    assert rightly.result(LONG).text == TEXT
    with pytest.raises(LookupError, match="mine"):
        wrongly.result(LONG)


def test_a_translator_alone_shows_its_drafts_too():
    drafts = []
    found = echo.translator().translate(TEXT, watch=drafts.append)
    assert found == echo.translator().translate(TEXT)
    assert [draft.column for draft in drafts] == [
        *range(DRAFT_EVERY, drafts[-1].column + 1, DRAFT_EVERY)
    ]
    assert found.text.startswith(drafts[0].text) and drafts[0].text


class Touchy:
    """A tokenizer that may not be asked twice at a time."""

    def __init__(self):
        self._is_asked = threading.Lock()
        self.most = 7

    def __call__(self, text):
        assert self._is_asked.acquire(blocking=False), "asked twice at a time"
        threading.Event().wait(0.001)
        self._is_asked.release()
        return text

    def decode(self, tokens):
        return self(tokens)


def test_a_shared_tokenizer_is_asked_by_one_thread_at_a_time():
    shared = SharedTokenizer(Touchy())
    clients = [
        started(lambda number=number: (shared(number), shared.decode(number)))
        for number in range(20)
    ]
    assert [client.result(LONG) for client in clients] == [(n, n) for n in range(20)]
    assert shared.most == 7
