"""Why an incident matches and what speaks against it: the numbers of the ranking as evidence in words."""
