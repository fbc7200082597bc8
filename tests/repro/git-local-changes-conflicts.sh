# sh tests/repro/git-local-changes-conflicts.sh   (git 2.39): local changes in the way, untracked files in the way, a conflict, a lock file, unrelated remote names
set +e; dir=$(mktemp -d) && cd "$dir" && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main one && cd one && echo 1 > a && git add a && git commit -qm 1 && cd .. && git clone -q one two && cd one && echo 2 > a && echo n > new && git add . && git commit -qm 2
cd ../two && echo 3 > a && git pull --no-rebase; git checkout -q a; echo mine > new; git pull --no-rebase; rm new
echo 3 > a && git commit -qam 3 && git pull --no-rebase; git pull --no-rebase; git checkout main~1; git merge --abort
touch .git/index.lock; git add a; rm .git/index.lock; git checkout nothing; git push origin nothing; git push nowhere main
git checkout -q HEAD~1 2>/dev/null; git status | head -1; git branch -d main
