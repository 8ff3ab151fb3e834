"""Every table and figure of the papers behind the library, one file per paper, recomputed from the raw data."""
