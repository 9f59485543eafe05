package verdicts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Select reads the recorded cases that names name. A name is the ID of a case
// ("train/shop/save") or of a page ("train/shop") of the set in the folder set, or
// the path of either. A name of which nothing was recorded is an error.
func Select(set string, names ...string) ([]Recorded, error) {
	var all []Recorded
	for _, name := range names {
		some, err := named(set, name)
		if err != nil {
			return nil, err
		}
		if len(some) == 0 {
			return nil, fmt.Errorf("nothing was recorded of %s, neither in %s nor as a path", name, set)
		}
		all = append(all, some...)
	}
	return all, nil
}

// named reads the cases of the page of this name, or the one case.
func named(set, name string) ([]Recorded, error) {
	for _, path := range []string{filepath.Join(set, name), filepath.Clean(name)} {
		dir, only := path, ""
		if !isPage(dir) {
			dir, only = filepath.Split(path)
		}
		p, err := ReadPage(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		recorded, err := p.Recorded()
		if err != nil || only == "" {
			return recorded, err
		}
		return whose(recorded, only), nil
	}
	return nil, nil
}

func isPage(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, CasesFile))
	return err == nil
}

func whose(all []Recorded, name string) []Recorded {
	for _, r := range all {
		if r.Name == name {
			return []Recorded{r}
		}
	}
	return nil
}

// Show prints one case whole: what was wanted, done, observed and said, and what
// the agent does next.
func Show(w io.Writer, j Judged) error {
	p := &printer{to: w}
	p.printf("%s\n  goal: %s\n", j.line(), j.Goal)
	if j.Thought != "" {
		p.printf("  thought: %s\n", j.Thought)
	}
	p.printf("  action: %s\n", j.Action)
	for _, o := range j.Observations {
		p.printf("  - %s\n", o.Text)
	}
	if j.Flow != "" {
		p.printf("  then: %s\n", j.Flow)
	}
	return p.err
}
