"""DeepL's API, version 2 and 3: texts, documents, glossaries, languages, usage."""
