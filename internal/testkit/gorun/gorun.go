// Package gorun compiles and runs Go that a test has made.
package gorun

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Run compiles the files, those of a main package that imports the standard library
// alone, and returns what it prints. They are vetted, too. It fails the test if any of
// this fails.
func Run(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = []byte("module generated\n\ngo 1.26\n")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		var stderr head
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, stderr)
		}
		return string(out)
	}
	command("go", "vet", ".")
	command("go", "build", "-o", "run", ".")
	run := filepath.Join(dir, "run")
	if runtime.GOARCH == "arm64" && errors.Is(exec.Command(run).Run(), syscall.ENOEXEC) {
		return command("qemu-aarch64-static", run) // as this test is run
	}
	return command(run)
}

// head is the beginning of what is written.
type head []byte

func (b *head) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 4000-len(*b))]...)
	return len(p), nil
}
