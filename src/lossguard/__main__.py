"""`python -m lossguard` is the command line."""

import sys

from lossguard.cli.main import main

sys.exit(main())
