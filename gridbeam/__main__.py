"""`python -m gridbeam`: the commands."""

from gridbeam.cli import main

if __name__ == "__main__":
    main()
