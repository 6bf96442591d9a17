"""The inputs of the test vectors, by subject; a new subject is a new module in `catalog`."""
