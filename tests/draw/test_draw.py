"""A recorded grid, drawn."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from drawn import model

import gridbeam
from gridbeam import Avoid, Gap, InOrder, Phrase, UserError, draw
from gridbeam.decoding.hypothesis import Origin, Trace
from gridbeam.draw.words import cells

ROOT = Path(__file__).parents[2]
VERBS = {Origin.GENERATED: "generate", Origin.STARTED: "start", Origin.CONTINUED: "continue"}
DRAWERS = [draw.as_text, draw.as_svg, draw.graph_as_svg, draw.as_html]
NASTY = [
    "<&\"'>",
    "</script><script>alert(1)</script>",
    "</title>",
    "\n",
    "\x00\x1b[31m",
    "a" * 60,
    " ",
    "",
    "\ud800",
    "東京都",
]


def word(token):
    return f"w{token}"


def searched(terms, **options):
    given = {"coverage": "placed", "beam": 3, "max_length": 8, "trace": True} | options
    return gridbeam.search(model(3), [[2]], [terms], **given)[0][0]


@pytest.fixture
def hypothesis():
    return searched([Phrase([2, 3])])


@pytest.fixture(scope="module")
def long_hypothesis():
    """A sentence of the length of real ones: 30 columns, 12 rows."""
    from wishes import SENTENCES

    from gridbeam.models.toy import Words, bigram_of

    words = Words(SENTENCES)
    wishes = ["gegen das Rauchen", "Parlament über die", "Schutz der Kinder", "setzte sich für"]
    options = {
        "encode": words.encode,
        "beam": 4,
        "max_length": 30,
        "length_penalty": 3,
        "trace": True,
    }
    source = [words.encode("Minister Gesetz")]
    [[best]] = gridbeam.search(bigram_of(SENTENCES, words), source, [wishes], **options)
    return best, words.words.__getitem__


@pytest.fixture
def lost():
    """A text that every beam had lost."""
    terms = [InOrder([2], Gap(1, 1), [3]), InOrder([3], Gap(1, 1), [2]), [0, 0]]
    [[best]] = gridbeam.search(model(0, 4.0), [[2]], [terms], beam=1, max_length=7, trace=True)
    assert best.fell_back
    return best


def shapes(picture, kind):
    """The strips or nodes of a picture, by time step and number in the column."""
    found = {}
    for element in ElementTree.fromstring(picture).iter():
        if element.get("data-at") and kind in kinds(element):
            step, number = element.get("data-at").split(".")
            found[int(step), int(number)] = element
    return found


def recorded(hypothesis):
    return {
        (t, number): hyp
        for t, column in enumerate(hypothesis.trace.columns)
        for number, hyp in enumerate(column)
    }


def within(element, name):
    return [inner for inner in element.iter() if inner.tag.endswith("}" + name)]


def kinds(element):
    return element.get("class").split()


# As text.


def test_the_text_shows_the_winning_words_in_their_rows(hypothesis):
    lines = draw.as_text(hypothesis, word).splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [
        ["covers", "2"],
        ["covers", "1"],
        ["covers", "0"],
    ]
    assert "+w2" in lines[2] and "&w3" in lines[1]
    shown = [
        found.lstrip("+&")
        for line in lines
        for found in line.split()
        if found.lstrip("+&").startswith("w")
    ]
    assert sorted(shown) == sorted(f"w{token}" for token in hypothesis.tokens)


@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_the_text_comes_in_blocks_that_fit_the_width_and_show_every_time_step(
    long_hypothesis, width
):
    text = draw.as_text(*long_hypothesis, width=width)
    assert max(map(cells, text.splitlines())) <= width
    steps = [
        step
        for line in text.splitlines()
        if line.startswith("time step")
        for step in line.split()[2:]
    ]
    assert steps == [str(t + 1) for t in range(len(long_hypothesis[0].trace.columns))]


@pytest.mark.parametrize("nasty", NASTY)
def test_no_token_breaks_the_lines_of_the_text_or_its_width(hypothesis, nasty):
    text = draw.as_text(hypothesis, lambda token: nasty, width=50)
    assert len(re.findall("^covers", text, re.M)) >= 3
    assert "\x1b" not in text and max(map(cells, text.splitlines())) <= 50


def test_colour_adds_nothing_but_colour(hypothesis):
    text = draw.as_text(hypothesis, word, colour=True)
    assert "\033[1;32m+w2\033[0m" in text and "\033[1;31m&w3\033[0m" in text
    assert re.sub(r"\033\[[\d;]*m", "", text) == draw.as_text(hypothesis, word)


def test_what_was_tried_after_the_winner_had_ended_can_be_left_out(lost):
    hypothesis = searched([Phrase([2, 3])], beam=9, max_length=20, length_penalty=0.0, stop="exact")
    cut = draw.up_to_its_end(hypothesis)
    assert len(cut.trace.columns) == len(cut.tokens) < len(hypothesis.trace.columns)
    assert draw.winning_path(cut) == draw.winning_path(hypothesis)
    assert draw.up_to_its_end(lost) is lost


# Figure 1.


@pytest.mark.parametrize(
    "terms",
    [[], [Phrase([2, 3])], [Phrase([0]), InOrder([2], Gap(0, 2), [3])], [Avoid([3]), [2, 2]]],
)
def test_every_recorded_hypothesis_is_a_strip_in_the_colour_of_its_verb(terms):
    hypothesis = searched(terms)
    strips = shapes(draw.as_svg(hypothesis, word), "strip")
    assert {place: hyp.origin for place, hyp in recorded(hypothesis).items()} == {
        place: next(origin for origin, verb in VERBS.items() if verb in kinds(strip))
        for place, strip in strips.items()
    }


def test_verbs_differ_in_colour_and_in_pattern(hypothesis):
    picture = draw.as_svg(hypothesis, word)
    fills = {
        kinds(strip)[1]: within(strip, "rect")[0].get("fill")
        for strip in shapes(picture, "strip").values()
    }
    assert fills == {
        "generate": None,
        "start": "url(#gridbeam-start)",
        "continue": "url(#gridbeam-continue)",
    }
    colours = [
        re.search(rf"\.ink-{verb}[^{{]*{{fill:(#\w+)", picture)[1] for verb in VERBS.values()
    ]
    assert len(set(colours)) == 3
    assert "var(" not in picture


def test_circles_are_on_the_closed_hypotheses_and_on_no_others(hypothesis):
    strips = shapes(draw.as_svg(hypothesis, word), "strip")
    has_circle = {place: bool(within(strip, "circle")) for place, strip in strips.items()}
    assert has_circle == {place: not hyp.is_open for place, hyp in recorded(hypothesis).items()}
    assert len(set(has_circle.values())) == 2


def test_the_path_of_the_winner_is_marked_and_linked(hypothesis):
    picture = draw.as_svg(hypothesis, word)
    won = {
        place: strip for place, strip in shapes(picture, "strip").items() if "won" in kinds(strip)
    }
    assert [recorded(hypothesis)[place].token for place in sorted(won)] == list(hypothesis.tokens)
    assert [recorded(hypothesis)[place] for place in sorted(won)] == draw.winning_path(hypothesis)
    assert picture.count('class="link"') == len(hypothesis.tokens) - 1


def test_the_winning_words_stand_above_their_columns_with_boxes_around_constraints(hypothesis):
    root = ElementTree.fromstring(draw.as_svg(hypothesis, word))
    words = [text.text for text in within(root, "text") if text.get("y") == "13.5"]
    assert words == [f"w{token}" for token in hypothesis.tokens]
    [box] = [rect for rect in within(root, "rect") if rect.get("class") == "box"]
    beam = next(rect for rect in within(root, "rect") if rect.get("class") == "beam")
    assert float(box.get("width")) > 2 * float(beam.get("width"))


def test_rows_are_labelled_by_what_they_cover_with_none_at_the_bottom(hypothesis):
    root = ElementTree.fromstring(draw.as_svg(hypothesis, word))
    labels = {
        int(text.text): float(text.get("y"))
        for text in within(root, "text")
        if text.get("class") == "row"
    }
    assert sorted(labels, key=labels.__getitem__) == [2, 1, 0]
    strips = shapes(draw.as_svg(hypothesis, word), "strip")
    for place, hyp in recorded(hypothesis).items():
        y = float(within(strips[place], "rect")[0].get("y"))
        assert min(labels, key=lambda row: abs(labels[row] - y)) == 2 - hyp.row


def test_a_strip_tells_its_text_its_log_probability_and_its_score(hypothesis):
    strips = shapes(draw.as_svg(hypothesis, word), "strip")
    path = sorted(place for place, strip in strips.items() if "won" in kinds(strip))
    [title] = within(strips[path[-1]], "title")
    text, state, numbers = title.text.split("\n")
    assert text == " ".join(f"w{token}" for token in hypothesis.tokens)
    assert state == f"generate, open, ended, covers 2 of 2, time step {len(path)}"
    assert numbers.startswith(f"log-probability {sum(hypothesis.log_probs):.2f} ")
    assert numbers.endswith(f"score {recorded(hypothesis)[path[-1]].score:.2f}")


def test_a_row_that_owes_more_than_the_empty_text_is_drawn_below_it(hypothesis):
    trace = hypothesis.trace
    first = replace(trace.columns[0][-1], row=trace.owed_at_start + 1)
    deeper = replace(
        hypothesis,
        trace=Trace(((*trace.columns[0][:-1], first), *trace.columns[1:]), trace.owed_at_start),
    )
    assert "covers -1" in draw.as_text(deeper, word)
    for drawer in DRAWERS:
        assert drawer(deeper, word)


@pytest.mark.parametrize("drawer", [draw.as_svg, draw.graph_as_svg])
def test_token_text_is_cut_off_and_clipped_at_the_edge_of_its_column(hypothesis, drawer):
    root = ElementTree.fromstring(drawer(hypothesis, lambda token: "Grundgesetz" * 5))
    clips = [clip for clip in within(root, "svg") if clip is not root]
    assert len(clips) >= len(hypothesis.tokens)
    for clip in clips:
        [text] = within(clip, "text")
        assert text.text.endswith("…") and len(text.text) * 6 < float(clip.get("width")) < 100


def test_forty_columns_are_not_wider_than_two_screens_and_a_half(long_hypothesis):
    root = ElementTree.fromstring(draw.as_svg(*long_hypothesis))
    assert float(root.get("width")) / len(long_hypothesis[0].trace.columns) * 40 < 2.5 * 1440


# Figure 3.


def test_every_node_of_the_graph_hangs_on_another_and_leads_to_a_final_one(hypothesis):
    nodes = shapes(draw.graph_as_svg(hypothesis, word), "node")
    came_from = {node.get("data-at"): node.get("data-from") for node in nodes.values()}
    assert {parent for parent in came_from.values() if parent} <= set(came_from)
    last = len(hypothesis.trace.columns) - 1
    for (t, number), node in nodes.items():
        is_final = recorded(hypothesis)[t, number].is_ended or t == last
        assert is_final or node.get("data-at") in came_from.values()


@pytest.mark.parametrize("keep", [1, 2, 4])
def test_the_graph_traces_back_as_many_final_hypotheses_as_are_kept_the_winner_first(
    hypothesis, keep
):
    nodes = shapes(draw.graph_as_svg(hypothesis, word, keep=keep), "node")
    parents = {node.get("data-from") for node in nodes.values()}
    last = len(hypothesis.trace.columns) - 1
    there = sum(hyp.is_ended or t == last for (t, _), hyp in recorded(hypothesis).items())
    assert sum(node.get("data-at") not in parents for node in nodes.values()) == min(keep, there)
    won = sorted(place for place, node in nodes.items() if "won" in kinds(node))
    assert [recorded(hypothesis)[place].token for place in won] == list(hypothesis.tokens)


def test_an_edge_bears_the_token_and_the_verb_of_the_hypothesis_it_leads_to(hypothesis):
    for place, node in shapes(draw.graph_as_svg(hypothesis, word), "node").items():
        hyp = recorded(hypothesis)[place]
        assert [text.text for text in within(node, "text")] == [word(hyp.token)]
        assert VERBS[hyp.origin] in kinds(node) and len(within(node, "path")) == 1
        assert ("closed" in kinds(node)) == (not hyp.is_open)


# The page.


class Tags(HTMLParser):
    """What a browser would make of a page: its tags, and whether they are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.opened, self.seen, self.data = [], [], ""
        self.feed(page)
        assert not self.opened

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag != "meta":
            self.opened.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        self.data += data


def test_the_page_holds_both_figures_whole(hypothesis):
    tags = Tags(draw.as_html(hypothesis, word)).seen
    strips = [
        facts
        for _, facts in tags
        if facts.get("class", "").startswith("strip") and "data-at" in facts
    ]
    nodes = [
        facts
        for _, facts in tags
        if facts.get("class", "").startswith("node") and "data-at" in facts
    ]
    assert len(strips) == len(recorded(hypothesis))
    assert len(nodes) == len(shapes(draw.graph_as_svg(hypothesis, word), "node"))


def test_the_page_needs_nothing_from_elsewhere(hypothesis):
    page = draw.as_html(hypothesis, word, source="here", constraints=[[2, 3]])
    assert not re.search(r"https?:|//\w+\.|@import|@font-face|<link|<img|\bsrc=|\bhref=", page)
    assert "prefers-color-scheme:dark" in page


def test_the_page_shows_source_and_constraints_and_marks_where_they_are_met(hypothesis):
    page = draw.as_html(hypothesis, word, title="Title", source="the source", constraints=[[2, 3]])
    assert "<h1>Title</h1>" in page and "<dd>the source</dd>" in page
    assert [re.sub("<.*?>", "", mark) for mark in re.findall("<mark.*?</mark>", page)] == ["w2 w3"]


def test_pieces_are_joined_where_text_is_shown_and_left_as_given_where_tokens_are(hypothesis):
    pieces = {token: "▁Haus" if token == 2 else "boot" for token in range(5)}
    page = draw.as_html(hypothesis, pieces.get, constraints=[[2, 3]])
    assert ">Hausboot</mark>" in page and ">▁Haus</text>" in page


def test_what_can_be_pointed_at_can_be_reached_and_named(hypothesis):
    tags = Tags(draw.as_html(hypothesis, word)).seen
    assert [facts["aria-label"] for _, facts in tags if facts.get("role") == "group"] == [
        "The grid",
        "The search graph",
    ]
    assert [facts["aria-live"] for _, facts in tags if facts.get("role") == "status"] == ["polite"]


@pytest.mark.parametrize("nasty", NASTY)
def test_no_token_breaks_a_picture_or_the_page(hypothesis, nasty):
    for drawer in (draw.as_svg, draw.graph_as_svg):
        picture = drawer(hypothesis, lambda token: nasty)
        assert ElementTree.fromstring(picture.encode()) is not None
    phrase = "x" if nasty in ("", "\ud800") else nasty  # which can be no constraint
    page = draw.as_html(
        hypothesis, lambda token: nasty, title=nasty, source=nasty, constraints=[phrase]
    )
    assert [tag for tag, _ in Tags(page).seen].count("script") == page.count("</script>") == 1
    assert page.encode()


# When there is little to draw.


@pytest.mark.parametrize("drawer", DRAWERS)
def test_a_text_that_fell_back_is_drawn_without_a_path_and_with_a_note(lost, drawer):
    drawn = drawer(lost, word)
    assert "fell back" in drawn.replace("\n", " ")
    assert draw.winning_path(lost) == []
    assert not re.search(r'class="[^"]* won" data-at|class="link"', drawn)


@pytest.mark.parametrize("drawer", DRAWERS)
def test_a_grid_without_columns_can_be_drawn(lost, drawer):
    assert "fell back" in drawer(replace(lost, trace=Trace((), 2)), word).replace("\n", " ")


@pytest.mark.parametrize("drawer", DRAWERS)
def test_without_a_recorded_grid_there_is_nothing_to_draw(drawer):
    [best] = gridbeam.search(model(3), [[2]], [[]], max_length=8)[0]
    with pytest.raises(UserError, match="search with trace=True"):
        drawer(best, str)


# In a real browser.

DRIVE = """<script>
const seen = {}, panel = () => document.querySelector('.panel').innerText.split('\\n')[0];
const at = place => document.querySelector(`.strip[data-at="${place}"]`);
const lit = () => [...document.querySelectorAll('.strip.lit')].map(strip => strip.dataset.at);
const send = (target, kind, more = {}) => {
  const Kind = more.key ? KeyboardEvent : PointerEvent;
  target.dispatchEvent(new Kind(kind, {bubbles: true, ...more}));
};
seen.atRest = panel();
send(at('2.1'), 'pointerover'); seen.hover = panel(); seen.lit = lit();
send(at('2.1'), 'click'); send(at('0.0'), 'pointerover'); seen.pinned = panel();
send(document.body, 'keydown', {key: 'Escape'}); seen.free = panel(); seen.nothingLit = lit();
at('2.1').focus();
if (!document.hasFocus()) send(at('2.1'), 'focusin');  // a page behind another is not told
seen.focus = panel();
send(at('2.1'), 'keydown', {key: 'ArrowLeft'}); seen.left = document.activeElement.dataset.at;
document.body.dataset.seen = JSON.stringify(seen);
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_pointing_shows_a_hypothesis_and_its_way_and_a_click_pins_it(hypothesis, tmp_path):
    (tmp_path / "grid.html").write_text(draw.as_html(hypothesis, word) + DRIVE, encoding="utf8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--dump-dom",
    ]
    command = [
        "chromium",
        *options,
        f"--user-data-dir={tmp_path / 'profile'}",
        f"file://{tmp_path}/grid.html",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf8", check=True, timeout=120
    )
    seen = json.loads(
        next(facts["data-seen"] for tag, facts in Tags(done.stdout).seen if tag == "body")
    )
    strips = shapes(draw.as_svg(hypothesis, word), "strip")
    came_from = {strip.get("data-at"): strip.get("data-from") for strip in strips.values()}
    text = within(strips[2, 1], "title")[0].text.split("\n")[0]
    winner = " ".join(f"w{token}" for token in hypothesis.tokens)
    assert seen["atRest"] == seen["free"] == winner and seen["nothingLit"] == []
    assert seen["hover"] == seen["pinned"] == seen["focus"] == text
    assert seen["lit"] == [came_from[came_from["2.1"]], came_from["2.1"], "2.1"]
    assert seen["left"] == came_from["2.1"]


def test_the_structures_of_the_second_figure_are_those_of_the_page():
    drawn = draw.structures_as_svg()
    assert drawn.count('class="beam"') == 10 + 4 + 4, "spans of four words, stacks, time steps"
    assert (ROOT / "docs" / "structures.svg").read_text(encoding="utf8") == drawn
