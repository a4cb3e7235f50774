"""The paper's experiments, each a command, and a report of what they found.

`gridbeam experiment NAME ... -o run.jsonl` runs one.
"""
