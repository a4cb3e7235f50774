"""The HTTP doors: our own, and those that other clients know."""
