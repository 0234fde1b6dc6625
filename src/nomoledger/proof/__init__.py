"""What everybody can check: the public chain, sealed envelopes, and a signed seal per period."""
