"""A sharded run writes what one process writes, whoever dies, and whoever goes on with it."""

from __future__ import annotations

import json

import pytest
import small_jobs
from small_files import XLIFF1
from small_jobs import by_one, job, sentences, sharded

from gridbeam.distributed.attempts import MOST
from gridbeam.distributed.gather import gather
from gridbeam.distributed.spread import ShardShare
from gridbeam.errors import UserError

PO = "".join(
    f'#: a.c:{n}\nmsgid "The {w} number {n}"\nmsgstr ""\n\n'
    for n, w in enumerate(["disk", "screen", "folder"] * 4)
)
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body>'
    + "".join(f'<tu><tuv xml:lang="en"><seg>The disk {n}</seg></tuv></tu>' for n in range(6))
    + "</body></tmx>\n"
)
FILES = {
    "a.txt": sentences(23),
    "a.tsv": sentences(12),
    "a.jsonl": "".join(
        json.dumps({"text": text, "constraints": ["Festplatte"][: number % 2]}) + "\n"
        for number, text in enumerate(sentences(12).splitlines())
    ),
    "a.po": PO,
    "a.xlf": XLIFF1,
    "a.tmx": TMX,
    "empty.txt": "",
}


@pytest.fixture
def text(file):
    return file("a.txt", sentences(40))


@pytest.mark.parametrize("name", FILES)
def test_each_format_is_written_as_by_one_process(name, file, tmp_path, monkeypatch):
    path = file(name, FILES[name])
    expected = by_one(path, tmp_path / f"one{path.suffix}")
    sharded(job(path, tmp_path / "out"), monkeypatch, shards=5)
    assert (tmp_path / "out" / name).read_bytes() == expected


@pytest.mark.parametrize("to", ["jsonl", "text"])
def test_lines_of_other_forms_are_those_of_one_process(to, file, terms, tmp_path, monkeypatch):
    path = file("a.po", PO)
    how = {"to": to, "glossary": (terms,), "review_below": 0.5 if to == "jsonl" else None}
    expected = by_one(path, tmp_path / f"one.{to}", **how)
    sharded(job(path, tmp_path / "out", **how), monkeypatch, shards=3)
    (made,) = (tmp_path / "out").glob("a.*")
    assert made.read_bytes() == expected


def test_the_summary_and_the_report_are_those_of_one_process(file, terms, tmp_path, monkeypatch):
    path = file("a.txt", sentences(9))
    report, other = tmp_path / "one.json", tmp_path / "many.json"
    how = job(path, tmp_path / "one.txt", glossary=(terms,))
    from gridbeam.files.run import translate_file

    instructions = how.given.instructions(small_jobs._glossary(how))
    translator = small_jobs.perilous(how.given)
    one = translate_file(translator, path, tmp_path / "one.txt", instructions, report=report)
    many = sharded(job(path, tmp_path / "out", glossary=(terms,), report=other), monkeypatch)
    assert str(many) == str(one) and other.read_bytes() == report.read_bytes()


def test_processes_set_aside_what_kills_them_and_translate_the_rest(file, tmp_path):
    text = sentences(3, n2="A deadly disk.")
    path = file("a.txt", text)
    summary = sharded(job(path, tmp_path / "out"), shards=2)
    assert (tmp_path / "out" / "a.txt").read_text() == text  # a translator that repeats its source
    (told,) = summary.told
    assert "a.txt line 3, segment 3, left as it is: set aside" in told
    assert f"tried {MOST} times: its worker was ended by SIGKILL" in told
    assert summary.is_failure and (summary.translated, summary.unmet) == (2, 1)
    assert not [*(tmp_path / "out" / "attempts").iterdir()]


def test_one_that_fails_in_python_is_set_aside_with_its_error(file, tmp_path, monkeypatch):
    path = file("a.txt", sentences(14, n5="A broken disk.", n11="Another broken disk."))
    summary = sharded(job(path, tmp_path / "out"), monkeypatch, shards=3)
    assert [told.partition("times: ")[2] for told in summary.told] == [
        "RuntimeError: this text is broken"
    ] * 2
    assert summary.translated == 12


def test_the_shards_are_joined_where_one_had_to_be_halved(file, tmp_path, monkeypatch):
    path = file("a.txt", sentences(14, n5="A broken disk."))
    sharded(job(path, tmp_path / "out"), monkeypatch, shards=2)
    names = sorted(each.name for each in (tmp_path / "out" / "parts").iterdir())
    assert names == ["part-00000.jsonl", "part-00001.jsonl"]


def test_what_was_begun_and_never_ended_is_halved_by_the_next_run(text, tmp_path, monkeypatch):
    out = tmp_path / "out"
    sharded(job(text, out), monkeypatch, shards=2)
    expected = (out / "a.txt").read_bytes()
    (out / "parts" / "part-00001.jsonl").unlink()
    (out / "attempts" / "part-00001").write_text('{"begun": 1, "on": "a"}\n{"beg')
    seen = []
    monkeypatch.setattr(
        small_jobs.Here,
        "give",
        lambda self, worker, task, give=small_jobs.Here.give: (
            seen.append(task.piece.name),
            give(self, worker, task),
        ),
    )
    sharded(job(text, out), monkeypatch)
    assert seen == ["part-00001.21-30", "part-00001.30-40"]
    assert (out / "a.txt").read_bytes() == expected


def test_the_same_command_again_starts_no_worker(text, tmp_path, monkeypatch):
    out = tmp_path / "out"
    first = sharded(job(text, out), monkeypatch)
    (out / "a.txt").unlink()
    assert str(sharded(job(text, out, load=small_jobs.stillborn), monkeypatch)) == str(first)
    assert (out / "a.txt").exists()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"batch_size": 7}, None),
        ({"to": "jsonl"}, None),
        ({"placeholders": ("x+",)}, "--placeholder"),
        ({"source": "en"}, "--source"),
        ({"on_unmet": "skip"}, "--on-unmet"),
    ],
)
def test_another_setting_is_refused_if_the_output_depends_on_it(
    changes, named, text, tmp_path, monkeypatch
):
    sharded(job(text, tmp_path / "out"), monkeypatch)
    if named is None:
        sharded(job(text, tmp_path / "out", **changes), monkeypatch)
        return
    with pytest.raises(UserError, match=f"out was begun with another {named}"):
        sharded(job(text, tmp_path / "out", **changes), monkeypatch)
    sharded(job(text, tmp_path / "out", **changes), monkeypatch, restart=True)


def test_another_input_is_refused(text, tmp_path, monkeypatch):
    sharded(job(text, tmp_path / "out"), monkeypatch)
    text.write_text(sentences(39) + "Other.\n")
    with pytest.raises(UserError, match=r"out was begun with another input\. Go on with"):
        sharded(job(text, tmp_path / "out"), monkeypatch)
    with pytest.raises(UserError, match=r"a\.txt has changed since the run was begun"):
        gather(tmp_path / "out")


def test_a_part_that_was_damaged_is_told(text, tmp_path, monkeypatch):
    sharded(job(text, tmp_path / "out"), monkeypatch)
    part = tmp_path / "out" / "parts" / "part-00000.jsonl"
    part.write_text(part.read_text().replace("disk", "disc", 1))
    with pytest.raises(UserError, match=r"part-00000.jsonl is damaged, or of another run"):
        gather(tmp_path / "out")


def test_shares_are_done_one_by_one_and_then_gathered(text, tmp_path, monkeypatch):
    out = tmp_path / "out"
    for index in (3, 1):
        said = sharded(job(text, out), monkeypatch, share=ShardShare(index, 3), shards=5)
    assert said == (
        f"2 shards of share 1 of 3 are done; 3 of all 5: when all are, gridbeam gather {out} writes"
        " the output"
    )
    with pytest.raises(UserError, match=r"out: 2 of 5 shards are not done yet: 1, 4\. The"):
        gather(out)
    sharded(job(text, out), monkeypatch, share=ShardShare(2, 3), shards=9)
    assert gather(out).translated == 40
    assert (out / "a.txt").read_bytes() == by_one(text, tmp_path / "b.txt")


def test_a_folder_without_a_run_cannot_be_gathered(tmp_path):
    with pytest.raises(UserError, match=r"has no manifest\.json\. Name the folder"):
        gather(tmp_path)


def test_a_damaged_manifest_is_told(text, tmp_path, monkeypatch):
    sharded(job(text, tmp_path / "out"), monkeypatch)
    path = tmp_path / "out" / "manifest.json"
    path.write_text(path.read_text().replace('"end": 40', '"end": 41'))
    with pytest.raises(UserError, match=r"manifest\.json is damaged"):
        gather(tmp_path / "out")


def test_workers_that_cannot_start_end_the_run(text, tmp_path, monkeypatch):
    with pytest.raises(UserError, match="3 workers in a row ended before they were ready: Mem"):
        sharded(job(text, tmp_path / "out", load=small_jobs.stillborn), monkeypatch)


def test_a_worker_with_another_glossary_is_refused(file, text, terms, tmp_path, monkeypatch):
    out = tmp_path / "out"
    sharded(job(text, out, glossary=(terms,)), monkeypatch, share=ShardShare(1, 2), shards=2)
    made = small_jobs.TranslationJob.instructions
    changed = []

    def instructions(self, languages):
        changed.append(1)
        if len(changed) == 2:  # that of the worker
            terms.write_text("source\ttarget\ndisk\tLaufwerk\n")
        return made(self, languages)

    monkeypatch.setattr(small_jobs.TranslationJob, "instructions", instructions)
    with pytest.raises(UserError, match="a worker has another glossary than the run"):
        sharded(job(text, out, glossary=(terms,)), monkeypatch)


def test_a_run_that_is_stopped_blames_no_piece(text, tmp_path, monkeypatch):
    def stopped(self):
        raise KeyboardInterrupt

    give = small_jobs.Here.give

    def then_stop(self, worker, task):
        give(self, worker, task)
        (tmp_path / "out" / "parts" / f"{task.piece.name}.jsonl").unlink()
        (tmp_path / "out" / "attempts" / task.piece.name).write_text('{"begun": 1}\n')
        raise KeyboardInterrupt

    monkeypatch.setattr(small_jobs.Here, "give", then_stop)
    with pytest.raises(KeyboardInterrupt, match="stopped; the same command goes on"):
        sharded(job(text, tmp_path / "out"), monkeypatch, shards=2)
    monkeypatch.setattr(small_jobs.Here, "give", give)
    summary = sharded(job(text, tmp_path / "out"), monkeypatch)
    names = sorted(each.name for each in (tmp_path / "out" / "parts").iterdir())
    assert names == ["part-00000.jsonl", "part-00001.jsonl"] and summary.translated == 40
