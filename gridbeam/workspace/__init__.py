"""Projects of segments, and the people who correct them."""
