"""Model files, shards and checkpoints: arrays and names on disk, with no knowledge of any estimator."""
