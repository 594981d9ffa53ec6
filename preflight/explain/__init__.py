"""From an error code or a log to ranked causes."""
