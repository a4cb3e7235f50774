"""Every route, asked at random by its own OpenAPI schema: no answer is a fault or of another form.

schemathesis draws requests, valid and not, and compares answers with the schema.
"""

from __future__ import annotations

from contextlib import suppress

import hypothesis
import pytest
import schemathesis
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gridbeam.server.app import create_app
from gridbeam.server.settings import RequestLimits, Settings
from gridbeam.store import Store

LIMITS = RequestLimits(chars=200, texts=4, constraints=6, beam=4, length=24, seconds=20.0)
EXAMPLES = 20
"""For each route, of requests that its schema allows, and of others."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def asked_at_random(engines, tmp_path_factory):
    """The schema of a server with small limits and a database of its own."""
    store = Store.open(tmp_path_factory.mktemp("contract") / "work.db")
    app = create_app(Settings(limits=LIMITS), store, engines)
    yield schemathesis.openapi.from_asgi("/openapi.json", app, headers={"Host": "127.0.0.1"})
    store.close()


@pytest.mark.parametrize("mode", GenerationMode)
def test_every_route_answers_as_its_schema_says(asked_at_random, mode):
    for operation in operations(asked_at_random):
        with suppress(Unsatisfiable):  # a route without parameters takes no wrong ones
            ask_at_random(operation, mode)


def operations(schema):
    """All routes of the schema, but for streams that never end."""
    found = [each.ok() for each in schema.get_all_operations()]
    assert found
    return [each for each in found if not each.path.endswith("/events")]


def ask_at_random(operation, mode):
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    def answers_as_it_says(case):
        answer = case.call(headers={"Host": "127.0.0.1"})
        case.validate_response(answer, checks=CHECKS)

    answers_as_it_says()
