"""Compares tensors that two builds of a model have written, in bounded memory and without numpy."""
