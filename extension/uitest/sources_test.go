package uitest

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// sources are the files the extension is built from, without what a developer has built
// beside them.
type sources struct{ fs.FS }

func sourcesOf(repository string) fs.FS { return sources{os.DirFS(repository)} }

var needed = []string{"extension", "clients/typescript", "api/openapi.yaml"}

// Open implements fs.FS.
func (s sources) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return sourceDir{dir, name}, nil
	}
	return f, nil
}

type sourceDir struct {
	fs.ReadDirFile
	name string
}

// ReadDir leaves out what is not needed.
func (d sourceDir) ReadDir(n int) ([]fs.DirEntry, error) {
	all, err := d.ReadDirFile.ReadDir(n)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		switch e.Name() {
		case "node_modules", "dist", ".wxt", ".output", "e2e", "uitest":
			return true
		}
		name := path.Join(d.name, e.Name())
		return !slices.ContainsFunc(needed, func(part string) bool {
			return part == name || strings.HasPrefix(part, name+"/") || strings.HasPrefix(name, part+"/")
		})
	}), err
}
