"""What a user might take instead, measured in the same run: ``make peers``."""
