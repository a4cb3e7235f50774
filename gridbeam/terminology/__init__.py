"""Bilingual terms from parallel text, by the paper's NPMI."""
