"""Whatever the package writes is there whole or not at all."""

from __future__ import annotations

import ast
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import gridbeam
from gridbeam.errors import UserError
from gridbeam.support import figures
from gridbeam.support.line_files import LineFile, whole_lines
from gridbeam.support.output_files import (
    recover,
    replacing,
    replacing_folder,
    replacing_path,
    write_text,
)

PACKAGE = Path(gridbeam.__file__).parent
WRITERS = {"support/output_files.py", "support/line_files.py"}
WRITING = frozenset({
    "write_text", "write_bytes", "save_file", "save_pretrained", "savez", "savez_compressed",
    "savefig", "tofile", "dump", "replace", "rename", "move", "copyfile", "copy", "copy2",
    "copytree", "symlink_to", "mkstemp", "NamedTemporaryFile", "fsync", "truncate",
})  # fmt: skip
"""Functions and methods that write a file, rename one, or make one."""
EXCEPTIONS = {
    ("support/figures.py", "savefig"): "to the file that `replacing` opened",
    ("training/corpus.py", "savez"): "to the file that `replacing` opened",
    ("models/gru/model.py", "save_file"): "to the path that `replacing_path` gave",
    ("models/eightbit.py", "save_file"): "into the folder that `replacing_folder` gave",
    ("models/eightbit.py", "copyfile"): "into the folder that `replacing_folder` gave",
    ("models/load.py", "copyfile"): "into the folder that `replacing_folder` gave",
    ("models/load.py", "save_pretrained"): "into the folder that `replacing_folder` gave",
    ("training/checkpoint.py", "save_file"): "into the folder that `replacing_folder` gave",
    ("training/learners.py", "save_pretrained"): "into the folder that `replacing_folder` gave",
    ("store/migration.py", "replace"): "the copy kept of a database, once all of it is there",
    ("workspace/upload.py", "write_bytes"): "into a folder that goes when the upload is read",
    ("server/faces/kept_files.py", "write_bytes"): "into a folder that goes when it is translated",
    ("server/faces/deepl/glossaries.py", "rename"): "a glossary in the store, no file",
    ("server/routes/glossaries.py", "rename"): "a glossary in the store, no file",
    ("server/routes/projects.py", "rename"): "a project in the store, no file",
    ("distributed/manifest.py", "mkstemp"): "beside the manifest, which takes it whole by a link",
    ("distributed/manifest.py", "fsync"): "of that file, before it is linked",
    ("distributed/manifest.py", "replace"): "of that file, where there are no links",
    ("distributed/attempts.py", "open"): "a note is added, and one that is cut off passed over",
    ("distributed/attempts.py", "fsync"): "of that note, before the attempt begins",
    ("distributed/run.py", "open"): "a lock that is held while a run is under way",
    ("distributed/terms.py", "open"): "into a folder that goes when the terms are written",
    ("distributed/terms.py", "mkstemp"): "a lock beside that folder, which goes with it",
    ("terminology/chunks.py", "replace"): "of a file that is written beside, in the same folder",
    ("terminology/chunks.py", "open"): "into the same folder",
    ("terminology/chunks.py", "savez"): "into the same folder",
    ("terminology/chunks.py", "write_text"): "into the same folder",
    ("training/run.py", "rename"): "a whole folder, into the one that `replacing_folder` gave",
}


def writing_calls(source: str) -> Iterator[str]:
    """The names of what a program calls to write a file by itself."""
    tree = ast.parse(source)
    own = {alias.name for node in ast.walk(tree) for alias in imported_from_writers(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "open":
            modes = [*node.args[:2], *(each.value for each in node.keywords if each.arg == "mode")]
            if any(is_mode_of_writing(each) for each in modes):
                yield name
        elif name in WRITING and name not in own and not is_of_text_or_data(node, name):
            yield name


def imported_from_writers(node: ast.AST) -> list[ast.alias]:
    is_writer = isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("gridbeam.support")
    return node.names if is_writer else []


def is_mode_of_writing(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant):
        return any(is_mode_of_writing(each) for each in ast.walk(node) if each is not node)
    mode = node.value
    return isinstance(mode, str) and set(mode) <= set("rwaxbt+") and bool(set(mode) & set("wax+"))


def is_of_text_or_data(node: ast.Call, name: str) -> bool:
    """Whether this is `str.replace`, `dataclasses.replace` or a `copy` of something in memory."""
    if name == "replace" and ast.unparse(node.func) != "os.replace":
        return not isinstance(node.func, ast.Attribute) or len(node.args) != 1
    return name == "copy" and ast.unparse(node.func) != "shutil.copy"


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ('open("a", "w")', "open"),
        ('path.open("ab")', "open"),
        ('path.open(mode="r+b")', "open"),
        ('path.open("r+b" if there else "w+b")', "open"),
        ("path.write_text(text)", "write_text"),
        ("os.replace(one, other)", "replace"),
        ("one.replace(other)", "replace"),
    ],
)
def test_each_way_of_writing_is_seen(source, call):
    assert list(writing_calls(source)) == [call]


@pytest.mark.parametrize(
    "source",
    [
        'path.open("rb")',
        "path.open()",
        'text.replace("a", "b")',
        "replace(value, name=1)",
        "from gridbeam.support.output_files import write_text\nwrite_text(path, text)",
    ],
)
def test_reading_is_no_writing(source):
    assert list(writing_calls(source)) == []


def test_nothing_is_written_but_whole_or_not_at_all():
    found = {
        (path.relative_to(PACKAGE).as_posix(), call)
        for path in PACKAGE.rglob("*.py")
        for call in writing_calls(path.read_text(encoding="utf8"))
    }
    assert {each for each in found if each[0] not in WRITERS} == set(EXCEPTIONS)


def broken_off(path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        _write_half(file)


def _write_half(file: BinaryIO) -> None:
    file.write(b"half")
    file.flush()
    raise KeyboardInterrupt


def test_a_file_that_is_broken_off_leaves_the_old_one_and_no_trace(tmp_path):
    path = tmp_path / "a"
    broken_off(path)
    assert list(tmp_path.iterdir()) == []
    write_text(path, "old")
    broken_off(path)
    with pytest.raises(KeyboardInterrupt), replacing_path(path) as new, new.open("wb") as file:
        _write_half(file)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_permissions_and_a_link_stays_one(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    write_text(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    with replacing_path(link) as name:
        name.write_text("newer")
    assert link.is_symlink() and path.read_text() == "newer"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_dash_is_stdout(capfdbinary):
    write_text(Path("-"), "Grüße\n")
    assert capfdbinary.readouterr().out == "Grüße\n".encode()


def test_why_a_file_cannot_be_written_is_told_with_the_remedy(tmp_path):
    told = r"nowhere/a cannot be written: No such file or directory\. Make it\."
    with pytest.raises(UserError, match=told):
        write_text(tmp_path / "nowhere" / "a", "", "Make it.")
    with pytest.raises(UserError, match="cannot be written: it is a folder"):
        write_text(tmp_path, "")


def test_a_folder_that_is_broken_off_leaves_the_old_one_and_no_trace(tmp_path):
    def write(text: str, error: BaseException | None = None) -> None:
        with replacing_folder(tmp_path / "a") as new:
            (new / "file").write_text(text)
            if error is not None:
                raise error

    for error in (OSError(28, "full"), KeyError("a fault"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            write("half", error)
        assert list(tmp_path.iterdir()) == []
    write("one")
    with pytest.raises(KeyboardInterrupt):
        write("half", KeyboardInterrupt())
    assert [path.read_text() for path in tmp_path.rglob("file")] == ["one"]
    write("two")
    assert [path.read_text() for path in tmp_path.rglob("file")] == ["two"]
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_folder_between_two_renames_is_brought_back(tmp_path):
    (tmp_path / "a.old").mkdir()
    recover(tmp_path / "a")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_figure_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    def broken(file, **_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    figure, _ = figures.blank(1, (2, 2))
    monkeypatch.setattr(figure, "savefig", broken)
    path = tmp_path / "a.svg"
    path.write_text("old")
    with pytest.raises(UserError, match=r"a\.svg cannot be written: No space left on device"):
        figures.save(figure, path)
    assert path.read_text() == "old"


def test_half_a_line_is_not_read_and_is_cut_when_a_line_is_added(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b'one\ntwo\n{"half')
    with LineFile(path) as lines:
        assert list(whole_lines(path)) == [b"one\n", b"two\n"]
        assert path.read_bytes().endswith(b"half")  # it may be somebody else's file
        assert (lines.add("three"), lines.add("four")) == (8, 14)
    assert path.read_bytes() == b"one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_the_end_of_the_lines_is_found_however_long_the_half_line_is(tmp_path, size):
    path = tmp_path / "lines"
    path.write_bytes(b"one\n" + b"x" * size)
    with LineFile(path) as lines:
        assert lines.end == 4
    path.write_bytes(b"x" * size)
    with LineFile(path) as lines:
        assert lines.end == 0 and lines.add("new") == 0
    assert path.read_bytes() == b"new\n"


def test_lines_are_those_of_one_run(tmp_path):
    path = tmp_path / "lines"
    with LineFile(path), pytest.raises(UserError, match="is being written by another run"):
        LineFile(path)
    with LineFile(path) as lines:
        lines.add("free again")
        lines.clear()
        lines.add("\ud800 as JSON may have it")
    assert path.read_bytes() == b"\\ud800 as JSON may have it\n"
