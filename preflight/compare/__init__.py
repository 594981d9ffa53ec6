"""Two models, two sets of tensors, two fusion results: what differs."""
