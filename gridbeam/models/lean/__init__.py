"""The network people use most, computed without transformers: in 8 bits, on a CPU.

`folder.py` says which folders are computed here. Each sentence is computed as if it were alone
(`tree.py`), and products in 8 bits are exact whole numbers (`matrices.py`): so a batch gives bit
for bit what its sentences give one by one.
"""
