"""The search: the paper's Algorithm 1, and the engine that does the same for many sentences at once."""
