"""All faces, and a router for each, for the application to include."""

from __future__ import annotations

from fastapi import APIRouter

from gridbeam.server.face import Face
from gridbeam.server.faces import apertium
from gridbeam.server.faces.deepl import (
    absent,
    documents,
    glossaries,
    languages,
    monolingual,
    translate,
    usage,
)
from gridbeam.server.faces.deepl.face import DEEPL
from gridbeam.server.faces.libretranslate import about, files, texts
from gridbeam.server.faces.libretranslate.face import LIBRETRANSLATE
from gridbeam.server.faces.openai import routes as chat
from gridbeam.server.faces.openai.face import OPENAI

FACES: tuple[Face, ...] = (DEEPL, LIBRETRANSLATE, apertium.APERTIUM, OPENAI)
OPEN_ROUTERS: tuple[APIRouter, ...] = (about.open_router, files.open_router, apertium.open_router)
"""Routes that ask for no key, as their clients bring none: languages, and files whose names nobody
can guess."""
ROUTERS: tuple[APIRouter, ...] = (
    translate.router,
    languages.router,
    glossaries.router,
    monolingual.router,
    usage.router,
    documents.router,
    absent.router,
    texts.router,
    files.router,
    about.router,
    apertium.router,
    chat.router,
)
"""All others."""
