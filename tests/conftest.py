"""Set-up for all tests: shapes in types are checked, hypothesis runs the same examples every time."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the tests run in two processes, which would wait for each other's threads

from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

settings.register_profile(
    "gridbeam", deadline=None, derandomize=True, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("gridbeam"), max_examples=5000, derandomize=False)
settings.load_profile(os.environ.get("GRIDBEAM_TESTS", "gridbeam"))

with install_import_hook(
    [
        "gridbeam.grid",
        "gridbeam.extend",
        "gridbeam.keep",
        "gridbeam.tables",
        "gridbeam.finished",
        "gridbeam.record",
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
