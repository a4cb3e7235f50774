"""Set-up for all tests: shapes in types are checked, hypothesis runs the same examples every time;
and files and runs that several tests look at.
"""

import os
import signal

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # the tests run in two processes, which would wait for each other's threads

import pytest
from databases import database_url, postgresql, store  # noqa: F401
from hypothesis import HealthCheck, Phase, settings
from jaxtyping import install_import_hook
from system_programs import skipped_for_want

# What starts the tests in the background may have these ignored, and whatever they start as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile(
    "gridbeam",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("gridbeam"), max_examples=5000, derandomize=False
)
settings.register_profile(
    "mutants", settings.get_profile("gridbeam"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("GRIDBEAM_TESTS", "gridbeam"))

with install_import_hook(
    [
        "gridbeam.decoding.column",
        "gridbeam.decoding.candidates",
        "gridbeam.decoding.prune",
        "gridbeam.decoding.ranking",
        "gridbeam.decoding.share",
        "gridbeam.decoding.tables",
        "gridbeam.decoding.finished",
        "gridbeam.decoding.history",
        "gridbeam.models",
        "gridbeam.training.graphs",
        "gridbeam.training.losses",
        "gridbeam.training.learners",
        "gridbeam.training.minibatches",
    ],
    "beartype.beartype",
):
    import gridbeam
    import gridbeam.models.ensemble
    import gridbeam.models.gru
    import gridbeam.models.huggingface
    import gridbeam.models.toy
    import gridbeam.training.run  # noqa: F401


def pytest_terminal_summary(terminalreporter):
    for line in skipped_for_want(terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(line)


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def make(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def terms(file):
    return file(
        "terms.tsv",
        "source\ttarget\tforbidden\ndisk\tFestplatte|Laufwerk\nfolder\tOrdner\nscreen\tBildschirm\tdisk\n",
    )


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with the text and the configurations of small runs."""
    from small_runs import write_data

    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def marian(data, tmp_path_factory):
    """A run of a transformer that is done."""
    from small_runs import kept

    return kept(data, "marian", tmp_path_factory)


@pytest.fixture(scope="session")
def gru(data, tmp_path_factory):
    """A run of the paper's network that is done."""
    from small_runs import kept

    return kept(data, "gru", tmp_path_factory)


@pytest.fixture(params=["marian", "gru"])
def run(request):
    """A run of each kind."""
    return request.getfixturevalue(request.param)
