package main

import (
	"fmt"
	"log/slog"
	"os"
)

func bySlog() {
	for name, handler := range map[string]slog.Handler{
		"JSON": slog.NewJSONHandler(os.Stdout, nil),
		"text": slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{AddSource: true}),
	} {
		fmt.Println("# slog, " + name)
		log := slog.New(handler)
		log.Error("payment failed", "order", 42, "err", refused)
		log.Warn("disk is full", "path", "/data")
	}
}
