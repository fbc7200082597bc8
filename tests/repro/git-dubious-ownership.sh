#!/bin/sh
# Run as root: sh git-dubious-ownership.sh (git 2.35.2 or later).
dir=$(mktemp -d) && cd "$dir" && git init -q . && chown -R 1234 . && git status
