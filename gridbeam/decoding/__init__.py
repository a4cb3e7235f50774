"""The search: the paper's Algorithm 1, and the engine that runs it for many sentences at once."""
