"""The stages of a verification run: each examines one thing and returns what it found."""
