"""Text in the tokens of a tokenizer: its vocabulary, spellings of a phrase, and offsets."""
