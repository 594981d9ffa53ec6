"""Version numbers of CANN, and the comparisons that loaders and installers make with them."""
