"""What every folder may use: files written whole or not at all, signatures, progress, figures."""
