"""Will a compiled Ascend model load on a target, and compute there what it computed before?"""

__version__ = "0.1.0"
