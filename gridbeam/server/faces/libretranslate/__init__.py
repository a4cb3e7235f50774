"""LibreTranslate's API: texts, files, languages, detection."""
