"""Typed functions that rules name; each returns evidence or nothing."""
