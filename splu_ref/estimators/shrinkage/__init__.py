"""Between an unbiased estimate and an expectation: weights learned over the sensitive domain, in arrays."""
