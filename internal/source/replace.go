package source

import (
	"os"
	"path/filepath"
)

// Replace writes a file whole or not at all.
func Replace(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".hesse")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
