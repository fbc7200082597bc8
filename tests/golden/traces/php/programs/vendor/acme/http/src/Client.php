<?php
namespace Acme\Http;

class Client
{
    public function __call(string $method, array $arguments): object
    {
        return $this->send(...[$method, ...$arguments]);
    }

    protected function send(string $method, string $path, mixed ...$rest): object
    {
        throw new \UnexpectedValueException("503 from http://10.2.3.4:8080$path");
    }
}
