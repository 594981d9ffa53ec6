"""Reports to text and to published formats, one file each."""
