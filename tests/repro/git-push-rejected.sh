#!/bin/sh
# Run: sh git-push-rejected.sh (git 2.39). Two clones; one is behind; then unrelated histories and a pull that must be told how.
dir=$(mktemp -d) && cd "$dir" && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q --bare -b main origin.git && git init -q -b main one && cd one && git commit -q --allow-empty -m 1 && git remote add origin ../origin.git && git push -q -u origin main
cd .. && git clone -q origin.git two && cd two && git commit -q --allow-empty -m 2 && git push -q
cd ../one && git commit -q --allow-empty -m 3 && git push
git fetch -q; git push; git pull
cd .. && git init -q -b main three && cd three && git commit -q --allow-empty -m x && git remote add origin ../origin.git && git pull --no-rebase origin main
