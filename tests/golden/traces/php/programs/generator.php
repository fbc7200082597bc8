<?php
// An error in a generator, in a destructor, in an assertion within eval.
class Rows
{
    public function __construct(private iterable $rows) {}
    public function each(): \Generator { foreach ($this->rows as $n => $row) { yield $n => eval('return $row->id;') ?? throw new DomainException("row $n has no id"); } }
    public function __destruct() { throw new LogicException('still open'); }
}

set_error_handler(function (int $level, string $text, string $file, int $line) {
    throw new ErrorException($text, 0, $level, $file, $line);
});
foreach ((new Rows([(object) ['id' => 1], (object) []]))->each() as $id) {
    echo $id, "\n";
}
