"""What the command line is asked for: texts, streams, files, fitting options, writable outputs."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
from pathlib import Path

import pytest
from small_files import CLASH, XLIFF1, ask, complaint, leftovers, start


def test_a_stream_is_translated_line_for_line(terms):
    found = ask("-", "--glossary", terms, stdin="The disk\r\n\nThe <b>folder</b>\nthe end")
    first, blank, folder, _ = found.stdout_bytes.split(b"\n")
    assert re.search(rb"Festplatte|Laufwerk", first) and first.endswith(b"\r") and blank == b""
    assert b"Ordner" in folder and b"<b>" in folder
    assert found.stderr == ""


def test_a_stream_may_be_in_any_format_of_lines(terms):
    lines = '{"text": "The disk", "x": 1}\n\n{"text": "a", "translation": "b"}\n'
    first, blank, third = ask(
        "--format", "jsonl", "--glossary", terms, stdin=lines
    ).stdout.splitlines()
    assert json.loads(first)["x"] == 1 and re.search(
        "Festplatte|Laufwerk", json.loads(first)["translation"]
    )
    assert (blank, third) == ("", '{"text": "a", "translation": "b"}')
    (as_json,) = map(
        json.loads,
        ask("--to", "jsonl", "--format", "tsv", stdin="The disk\tvoll\n").stdout.splitlines(),
    )
    assert as_json["met"][0]["said"] == ["voll"]
    assert '"po" has not: write text, tsv, jsonl, moses' in complaint("--format", "po", stdin="")
    assert 'to "tmx" is unknown' in complaint("--to", "tmx", stdin="The disk\n")


@pytest.mark.slow
def test_a_slow_pipe_gets_each_answer_as_it_asks():
    with start("-", "-c", "Ordner", stdin=subprocess.PIPE, bufsize=0) as process:
        for line in (b"The disk\n", b"\n", b"The house\n"):
            process.stdin.write(line)
            answer = process.stdout.readline()
            assert answer.endswith(b"\n") and (b"Ordner" in answer) == bool(line.strip())
        process.stdin.close()
        assert process.wait(60) == 0


def test_lines_before_a_bad_one_are_translated_and_unmet_ones_exit_with_3(file):
    found = ask("-", stdin=b"The disk\nThe \xff\n")
    assert found.exit_code == 2 and len(found.stdout.splitlines()) == 1
    assert "<stdin> line 2: byte 5 (0xFF) is not UTF-8" in found.stderr
    found = ask("-", "--glossary", file("t.tsv", CLASH), stdin="disk and screen\nhouse\n")
    assert found.exit_code == 3 and found.stdout.startswith("disk and screen\n")
    assert "<stdin> line 1, segment 1, left as it is" in found.stderr


def test_a_text_is_told_from_a_file(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = file("The disk", "The house\n")
    assert "The disk is a file: say with -o where" in complaint("The disk")
    assert ask("The disk", "--text").exit_code == 0
    assert (
        ask("The disk", "-o", "b.txt", "--format", "text").exit_code == 0
        and source.read_text() == "The house\n"
    )
    for missing in ("no.xliff", "no.txt"):
        assert f"{missing}: there is no such file" in complaint(missing)
    assert "The mouse: there is no such file" in complaint("The mouse", "-o", "b.txt")
    assert ask("The end.po or so").exit_code == 0
    for option in (
        ["--report", "r.json"],
        ["--resume"],
        ["--restart"],
        ["--format", "text"],
        ["--retranslate", "all"],
    ):
        assert complaint("The mouse", *option).startswith(
            f"{option[0]} is for files: name one, or leave it out."
        )
    assert complaint("The disk", "--text", "-o", "b.txt").startswith("-o is for files: name one")
    assert "-o is for files: name one" in complaint("-", "-o", "b.txt", stdin="")


def test_a_text_goes_the_way_of_a_segment(file, terms):
    found = ask("Open {file} on the disk,\n<b>please</b>.", "--glossary", terms, "--n-best", "2")
    assert found.exit_code == 0, found.output
    assert (
        found.stdout.count("{file}") == found.stdout.count("<b>") == 2 and "\n<b>" in found.stdout
    )
    given = ["disk and screen", "--glossary", file("t.tsv", CLASH)]
    found = ask(*given)
    assert (found.exit_code, found.stdout) == (
        2,
        "",
    ) and '"disk" requires "Laufwerk"' in found.stderr
    found = ask(*given, "--on-unmet", "skip")
    assert (found.exit_code, found.stdout) == (0, "disk and screen\n")
    assert "<text> line 1, segment 1, left as it is" in found.stderr
    found = ask(*given, "--on-unmet", "relax", "--to", "jsonl")
    assert found.exit_code == 0 and "Laufwerk" in json.loads(found.stdout)["translation"]
    assert 'to "tmx" is unknown' in complaint("The disk", "--to", "tmx")
    assert 'on-unmet "panic" is unknown' in complaint("The disk", "--on-unmet", "panic")


@pytest.mark.parametrize("text", ["2024", "{name}"])
def test_a_text_without_words_obeys_constraints_all_the_same(text):
    assert ask(text, "--text").stdout == f"{text}\n"
    assert "Ordner" in ask(text, "--text", "-c", "Ordner").stdout
    assert ask(text, "--text", "--prefix", "Die").stdout.startswith("Die")
    assert 'avoid "2024"' in complaint("2024", "--text", "-c", "2024", "--avoid", "2024")
    assert "the source is empty" in complaint("", "--text", "-c", "Ordner")


@pytest.mark.parametrize(
    "option", [["--forms", "x"], ["--lemmas"], ["--sheet", "x"], ["--case", "any"]]
)
@pytest.mark.parametrize("text", ["The disk", "-"])
def test_an_option_for_a_glossary_needs_one(text, option):
    assert complaint(text, *option, stdin="").startswith(
        f"{option[0]} is for the terms of a glossary: name one with"
    )


def test_options_that_do_not_go_together_are_named(file, tmp_path):
    source, out = file("a.txt", "The disk\n"), tmp_path / "b.txt"
    for given, said in [
        (["--n-best", "2"], "Add --to jsonl"),
        (
            ["--n-best", "6", "--to", "jsonl"],
            "--n-best 6: a beam of 2 holds no more. Raise --beam, or ask for fewer.",
        ),
        (["--forms", source], "name one with --glossary"),
        (["--resume", "--restart"], "leave one of the two out"),
        (["--report", tmp_path / "r.pdf"], "Write .json or .html"),
        (["--on-unmet", "panic"], 'on-unmet "panic" is unknown: write error, relax or skip'),
        (["--retranslate", "some"], 'retranslate "some" is unknown'),
        (["--to", "tmx"], 'to "tmx" is unknown'),
        (["--format", "odt"], 'unknown format "odt"'),
    ]:
        assert said in complaint(source, "-o", out, *given)
        assert not out.exists() and leftovers(tmp_path) == []


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xliff", XLIFF1.replace("</body>", ""), r"a.xliff line \d+"),
        (
            "a.xliff",
            XLIFF1.replace('"1.0"?>', f'"1.0"?>{BOMB}').replace("full", "&b;"),
            r"a.xliff line 1.*entit",
        ),
        (
            "a.txt",
            b"fine\n" + "für\n".encode("latin-1"),
            r"a.txt line 2: byte 2 \(0xFC\) is not UTF-8",
        ),
        ("a.po", 'msgid "a"\n', r"a.po line 1: the file ends before the msgstr"),
        ("a.jsonl", '{"text": "a"}\n{"txt": "b"}\n', 'a.jsonl line 2: no "text"'),
    ],
)
def test_a_bad_file_is_told_by_line_before_anything_is_written(file, tmp_path, name, content, said):
    out = file(f"out-{name}", "precious")
    assert re.search(said, complaint(file(name, content), "-o", out))
    assert out.read_text() == "precious" and leftovers(tmp_path) == []


@pytest.mark.slow
def test_a_line_of_two_gigabytes_is_refused_in_little_memory(tmp_path):
    source = tmp_path / "huge.txt"
    with source.open("wb") as file:
        file.truncate(2 << 30)  # zeros that take no room on disk
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    process = start(source, "-o", tmp_path / "out.txt")
    _, said = process.communicate(timeout=100)
    assert process.returncode == 2 and b"huge.txt line 1: longer than 1,048,576 bytes" in said
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 1_500_000)
    with source.open("rb") as file:
        process = start("-", stdin=file)
        assert b"<stdin> line 1: longer than" in process.communicate(timeout=100)[1]


def test_a_glossary_that_requires_what_it_forbids_is_refused(file, tmp_path):
    bad = file("t.tsv", "source\ttarget\tforbidden\ndisk\tHDD\tHDD\n")
    said = complaint(file("a.txt", "The disk\n"), "-o", tmp_path / "b.txt", "--glossary", bad)
    assert said == f'{bad} line 2: "HDD" is both required and forbidden. Remove one of the two.'
    assert "no.tsv cannot be read" in complaint(
        tmp_path / "a.txt", "-o", tmp_path / "b.txt", "--glossary", tmp_path / "no.tsv"
    )


def test_an_output_that_cannot_be_written_is_named_before_work_begins(file, tmp_path):
    source = file("a.txt", "The disk\n")
    assert "there is no folder" in complaint(source, "-o", tmp_path / "none" / "b.txt")
    assert "it is a folder" in complaint(source, "-o", tmp_path)
    assert "/proc/b.txt.journal cannot be written" in complaint(source, "-o", "/proc/b.txt")
    assert "there is no folder" in complaint(
        source, "-o", tmp_path / "b.txt", "--report", tmp_path / "none" / "r.json"
    )


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_an_output_may_be_stdout(file, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    source = file("a.txt", "The disk {x}\n\n12\n")
    found = ask(source, "-o", out, "--report", "r.json")
    assert found.exit_code == 0, found.output
    assert (
        "{x}" in found.stdout
        and found.stdout.endswith("\n\n12\n")
        and found.stdout.count("\n") == 3
    )
    assert sorted(os.listdir()) == ["a.txt", "r.json"] and not Path("/dev/stdout.journal").exists()
    assert (
        complaint(source, "-o", out, "--resume")
        == f"--resume is for an output that is a file, which {out} is not."
    )
    assert (
        ask("The disk", "-o", "-").exit_code == 0
        and ask("-o", "-", stdin="The disk\n").exit_code == 0
    )


def test_an_output_may_be_a_pipe_or_a_device(file, tmp_path):
    source, pipe = file("a.txt", "12\n"), tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert ask(source, "-o", pipe).exit_code == 0
        assert reader.communicate(timeout=30)[0] == b"12\n"
    assert ask(source, "-o", "/dev/null").exit_code == 0
    assert leftovers(tmp_path) == [] and not Path("/dev/null.journal").exists()


def test_several_glossaries_are_one_and_the_later_wins(file, tmp_path):
    base, own = (
        file("base.tsv", "disk\tPlatte\nscreen\tSchirm\n"),
        file("own.csv", "disk,Laufwerk\n"),
    )
    found = ask("The disk and the screen", "--glossary", base, "--glossary", own)
    assert "Laufwerk" in found.stdout and "Schirm" in found.stdout
    assert "Platte" not in found.stdout
    told = " ".join(found.stderr.split())
    assert 'the later one is taken: "disk" is "Platte" at' in told and "own.csv line 1" in told
    for name in ("base.tsv", "own.csv"):
        out = tmp_path / name
        said = complaint(
            file("a.txt", "The disk\n"), "-o", out, "--glossary", base, "--glossary", own
        )
        assert "would be overwritten" in said
