// Loggers of Go: what each prints as a record. Run by run.sh.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"
	"github.com/sirupsen/logrus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

var refused = fmt.Errorf("pay order 42: %w", errors.New("dial tcp 10.0.0.7:5432: connect: connection refused"))

func byZap(name string, encoder zapcore.Encoder) {
	fmt.Println("# zap, " + name)
	log := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(os.Stdout), zap.InfoLevel), zap.AddCaller(), zap.AddStacktrace(zap.DPanicLevel)).Named("shop")
	log.Error("payment failed", zap.Int("order", 42), zap.Error(refused))
	log.Warn("disk is full", zap.String("path", "/data"))
	log.DPanic("payment failed", zap.Error(refused))
}

func byLogrus(name string, formatter logrus.Formatter) {
	fmt.Println("# logrus, " + name)
	log := logrus.New()
	log.SetOutput(os.Stdout)
	log.SetFormatter(formatter)
	log.WithError(refused).WithField("order", 42).Error("payment failed")
	log.Error("payment of order 42 failed")
	log.WithField("path", "/data").Warn("disk is full")
}

func main() {
	byZap("JSON", zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()))
	byZap("console", zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()))
	byLogrus("text", &logrus.TextFormatter{DisableColors: true})
	byLogrus("JSON", &logrus.JSONFormatter{})
	byLogrus("a terminal's text", &logrus.TextFormatter{ForceColors: true})
	fmt.Println("# zerolog")
	log := zerolog.New(os.Stdout).With().Timestamp().Logger()
	log.Error().Err(refused).Int("order", 42).Msg("payment failed")
	log.Warn().Str("path", "/data").Msg("disk is full")
	fmt.Println("# zerolog, console")
	log = log.Output(zerolog.ConsoleWriter{Out: os.Stdout, NoColor: true})
	log.Error().Err(refused).Int("order", 42).Msg("payment failed")
	bySlog()
}
