#!/bin/sh
# Run: sh php-memory-exhausted.sh (php-cli). Rows are collected until the limit is reached.
dir=$(mktemp -d) && cd "$dir"
printf '<?php\nfunction load() { $rows = []; while (true) { $rows[] = str_repeat("x", 10000); } }\nload();\n' > Report.php
php -d memory_limit=16M -d display_errors=0 -d log_errors=1 -d error_log= Report.php
