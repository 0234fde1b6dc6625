"""Events and things described in words for people. No lower layer depends on these texts."""
