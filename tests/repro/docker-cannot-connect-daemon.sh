#!/bin/sh
# Run on a machine without a running daemon: sh docker-cannot-connect-daemon.sh (Docker client 28.2).
DOCKER_HOST=unix:///var/run/docker.sock timeout 20 docker ps
DOCKER_HOST=tcp://127.0.0.1:2375 timeout 20 docker ps
