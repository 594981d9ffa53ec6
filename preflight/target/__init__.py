"""Where a model should run: an installed CANN, a snapshot of one, or a known release and SoC."""
