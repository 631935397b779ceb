package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/source"
)

// What cannot take the place of a file leaves nothing behind.
func TestFilesAreReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	for _, text := range []string{"old", "new"} {
		require.NoError(t, source.Replace(name, []byte(text)))
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.Mkdir(taken, 0o777))
	require.Error(t, source.Replace(taken, []byte("new")))
	require.Error(t, source.Replace(filepath.Join(dir, "nowhere", "a.go"), nil))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
}
