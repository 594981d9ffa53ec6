"""Parts to facts: the model definition and everything a file says about itself; hides protobuf."""
