"""Operator prototypes by release: the history registry protocol, histories, differences."""
