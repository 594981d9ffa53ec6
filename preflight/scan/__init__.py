"""Many models: where they come from and how they are checked together."""
