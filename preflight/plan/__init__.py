"""From findings to a reviewable plan, and carrying it out."""
