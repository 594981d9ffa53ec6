"""Widgets of our own: a table that draws only what is seen, lines with roles, a base screen."""
