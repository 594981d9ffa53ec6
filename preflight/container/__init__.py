"""Bytes to parts: headers, partition tables, stores and packages; no protobuf, no operators."""
