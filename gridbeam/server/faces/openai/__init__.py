"""OpenAI's API for causal models: chats and completions that say what they must."""
