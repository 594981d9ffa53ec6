"""One module per kind of folder that `agree.py` can run, plus one per vector tier."""
