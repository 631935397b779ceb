package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesAreThoseOfTheTable(t *testing.T) {
	root = "../../.."
	for file, want := range files() {
		got, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the table gives: run go generate ./internal/op", file)
		}
	}
}
