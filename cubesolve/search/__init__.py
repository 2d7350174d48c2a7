"""Search for solutions without a table of all distances: bidirectional, IDA* with pattern databases."""
