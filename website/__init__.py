"""The documentation site: `make site` builds it. No part of the package."""
