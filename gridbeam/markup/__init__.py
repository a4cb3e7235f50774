"""What in a text is not language: inline codes and placeholders, taken out and put back."""
