"""Events and things in words, for people. Nothing below this package reads a word of it."""
