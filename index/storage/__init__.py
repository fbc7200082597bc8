"""The files of a snapshot: written by a build, memory-mapped by a search, and the candidates that each of them proposes."""
