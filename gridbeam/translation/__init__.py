"""Text in, text out: the one place where text meets search."""
