<?php
// A file that does not parse.
function total(array $items {
    return array_sum($items);
}
