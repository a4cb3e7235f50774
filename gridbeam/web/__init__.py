"""The page: HTML, CSS and ES modules, served as they are."""

from gridbeam.web.files import PageFile, page_files

__all__ = ["PageFile", "page_files"]
