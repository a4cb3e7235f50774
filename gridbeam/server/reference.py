"""An OpenAPI schema as a page to read: routes, what they take, what they answer, and the types.

It has no script and loads nothing from elsewhere, so that it works without a network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
"""A part of an OpenAPI document."""

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2rem; } code, .way { font-family: ui-monospace, monospace; }
.way { font-weight: 600; } .kind { opacity: 0.75; }
details { margin: 0.4rem 0; border: 1px solid; border-radius: 6px; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } dt { font-weight: 600; margin-top: 0.4rem; }
dd { margin-left: 1.2rem; }
"""


def page(schema: Schema) -> str:
    """The page of a schema."""
    about = schema["info"]
    types = schema.get("components", {}).get("schemas", {})
    return "".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(about['title'])}: HTTP</title>",
            '<link rel="stylesheet" href="docs.css"></head><body>',
            f"<h1>{escape(about['title'])} {escape(about['version'])}</h1>",
            f"<p>{escape(about.get('description', ''))}</p>",
            '<p>The same for programs: <a href="openapi.json">openapi.json</a>.</p><h2>Routes</h2>',
            *_routes(schema["paths"]),
            "<h2>Types</h2>",
            *(_type(name, each) for name, each in sorted(types.items())),
            "</body></html>",
        )
    )


def _routes(paths: Schema) -> Iterator[str]:
    for path, ways in paths.items():
        for way, route in ways.items():
            yield (
                f'<details><summary><span class="way">{way.upper()} {escape(path)}</span> '
                f"{escape(route.get('summary', ''))}</summary>"
                f"<p>{escape(route.get('description', ''))}</p>"
            )
            yield _listed("Parameters", _parameters(route))
            yield _listed("Body", _contents(route.get("requestBody", {})))
            yield _listed("Answers", _answers(route["responses"]))
            yield "</details>"


def _parameters(route: Schema) -> Iterator[tuple[str, str]]:
    for each in route.get("parameters", ()):
        yield f"{each['name']} ({each['in']})", _field(each.get("schema", {}), each)


def _contents(holder: Schema) -> Iterator[tuple[str, str]]:
    for media, content in holder.get("content", {}).items():
        yield media, _kind(content.get("schema", {}))


def _answers(responses: Schema) -> Iterator[tuple[str, str]]:
    for status, answer in responses.items():
        kinds = "; ".join(f"{escape(media)}: {kind}" for media, kind in _contents(answer))
        yield status, f"{escape(answer.get('description', ''))} {kinds}"


def _type(name: str, schema: Schema) -> str:
    needed = schema.get("required", ())
    rows = (
        (f"{field}{'' if field in needed else ' (may be left out)'}", _field(each, each))
        for field, each in schema.get("properties", {}).items()
    )
    about = escape(schema.get("description", ""))
    return (
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code> {about}</summary>'
        f"{_listed('Fields', rows)}</details>"
    )


def _listed(title: str, rows: Iterator[tuple[str, str]]) -> str:
    """A list of names and what is said of each, whose markup is there already."""
    found = "".join(f"<dt><code>{escape(name)}</code></dt><dd>{said}</dd>" for name, said in rows)
    return f"<h3>{title}</h3><dl>{found}</dl>" if found else ""


def _field(schema: Schema, about: Schema) -> str:
    usual = f", {escape(repr(schema['default']))} by default" if schema.get("default") else ""
    kind = f'<span class="kind">{_kind(schema)}{usual}</span>'
    return f"{kind} {escape(about.get('description', ''))}"


def _kind(schema: Schema) -> str:
    """What a value is, in a few words, with links to types."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(escape(repr(each)) for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return escape(str(schema.get("type", "any value")))
