"""Where lossguard meets other tools: each module may be deleted without touching the rest."""
