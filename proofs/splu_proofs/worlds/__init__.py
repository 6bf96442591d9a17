"""Small worlds to try a claim in, by plain laws and by the shipped code, for any paper's proofs."""
