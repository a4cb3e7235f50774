"""The doors that other programs know: DeepL, LibreTranslate, Apertium and OpenAI's chat."""
