"""One text and its person: every correction is a constraint, and none is taken back."""
