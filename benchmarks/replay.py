"""The figures behind the Replay page: `python -m benchmarks.replay [--mb 1024] [--calls 20000]`; see benchmarks/logs.py."""

from benchmarks.logs import main

if __name__ == "__main__":
    main()
