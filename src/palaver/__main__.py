"""`python -m palaver`: the command `palaver`, for where the command itself is not on the PATH."""

from palaver.cli.hot import main

if __name__ == "__main__":
    main()
