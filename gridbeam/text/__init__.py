"""Text as text: letters, words, sentences, lemmas, languages, aligned files."""
