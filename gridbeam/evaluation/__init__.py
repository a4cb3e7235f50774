"""How good translations are: metrics, terms, significance."""
