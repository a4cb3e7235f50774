"""Text in the tokens of a tokenizer: its vocabulary, every spelling of a phrase, where tokens stand in a text."""
