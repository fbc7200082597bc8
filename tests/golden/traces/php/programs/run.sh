#!/bin/sh
# Prints the traces beside this folder again. PHP 8.2 or later (zend.exception_ignore_args decides on arguments).
set -u
here=$(cd "$(dirname "$0")" && pwd)
home=/srv/shop-php
rm -rf "$home" && mkdir -p "$home" && cp -r "$here"/. "$home" && cd "$home" || exit 1
show() { name=$1; shift; php -n -d date.timezone=UTC "$@" > "$here/../$name.txt" 2>&1; }
show previous -d zend.exception_ignore_args=0 -d log_errors=1 -d display_errors=0 previous.php
show typed -d log_errors=0 -d display_errors=1 typed.php
show warnings -d error_reporting=-1 -d log_errors=0 -d display_errors=1 warnings.php
show warnings-html -d error_reporting=-1 -d log_errors=0 -d display_errors=1 -d html_errors=1 warnings.php
show recursion -d log_errors=1 -d display_errors=0 recursion.php
show broken -d log_errors=1 -d display_errors=0 broken.php
show logged -d zend.exception_ignore_args=0 logged.php
show generator -d log_errors=1 -d display_errors=0 generator.php
rm -rf "$home"
