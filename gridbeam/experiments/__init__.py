"""The paper's experiments, each a command: `gridbeam experiment NAME ... -o run.jsonl`, and a report of what they found."""
