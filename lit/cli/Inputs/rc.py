"""Runs a command and prints its exit code behind what it printed: `rc.py COMMAND...`."""

import subprocess
import sys

print("exit code", subprocess.run(sys.argv[1:], check=False).returncode, flush=True)
