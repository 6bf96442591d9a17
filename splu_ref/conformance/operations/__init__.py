"""What the reference answers to each operation of the conformance protocol."""
