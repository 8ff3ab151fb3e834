"""`python -m margrave` is the command `margrave`."""

from margrave.cli import main

if __name__ == "__main__":
    main()
