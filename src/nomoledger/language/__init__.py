"""The language of rules: parsing, linking, code generation, and the host that runs the code."""
