<?php
// Loggers of PHP: what each prints as a record. Run by run.sh.
require_once 'Monolog/autoload.php';

use Monolog\Formatter\GelfMessageFormatter;
use Monolog\Formatter\JsonFormatter;
use Monolog\Formatter\LineFormatter;
use Monolog\Formatter\LogstashFormatter;
use Monolog\Formatter\GoogleCloudLoggingFormatter;
use Monolog\Handler\StreamHandler;
use Monolog\Logger;

class PaymentException extends RuntimeException {}

function pay(int $order): void
{
    throw new PaymentException("order $order is not paid", 7, new InvalidArgumentException('amount is missing'));
}

function say(string $name, $formatter): void
{
    echo "# $name\n";
    $handler = new StreamHandler('php://stdout');
    $handler->setFormatter($formatter);
    $log = new Logger('shop', [$handler]);
    $log->error('payment of order 42 failed');
    try {
        pay(42);
    } catch (PaymentException $error) {
        $log->error('payment failed', ['order' => 42, 'error' => $error->getMessage()]);
        $log->critical('payment failed', ['exception' => $error]);
    }
    $log->warning('disk is full', ['path' => '/data']);
}

$traced = new JsonFormatter();
$traced->includeStacktraces();
say('Monolog JsonFormatter', new JsonFormatter());
say('Monolog JsonFormatter, with stack traces', $traced);
say('Monolog LineFormatter', new LineFormatter());
say('Monolog LineFormatter as Laravel sets it', new LineFormatter(null, 'Y-m-d H:i:s', true, true));
say('Monolog LogstashFormatter', new LogstashFormatter('shop'));
if (class_exists(GoogleCloudLoggingFormatter::class)) {
    say('Monolog GoogleCloudLoggingFormatter', new GoogleCloudLoggingFormatter());
}
