package verdicts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Names of the files of a page folder. RecordedFile is compressed with zstd; its
// content is a case a line (Recorded).
const (
	CasesFile    = "cases.json"
	RecordedFile = "recorded.jsonl.zst"
)

// Splits of a set.
const (
	Train = "train"
	Test  = "test"
)

// Origin is where recorded pages are said to come from, whatever port they had.
const Origin = "http://shop.test"

// Page is a page folder: what is done on the page and how it tells the truth.
type Page struct {
	Dir   string `json:"-"`
	Name  string `json:"-"` // of the folder
	Split string `json:"-"` // of the folder above it

	About    string `json:"about"`
	Language string `json:"language"`
	// Hand is who wrote the page, by any name: pages of one hand break alike.
	Hand string `json:"hand"`
	// App names an application of the project that is served in place of files.
	App   string `json:"app,omitempty"`
	Cases []Case `json:"cases"`
}

// Case is an action whose effect is known.
type Case struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Path of the page within the folder, or of the app; "" is page.html, or "/".
	Path string `json:"path,omitempty"`
	// Query is appended to the URL: "?fault=silent".
	Query string `json:"query,omitempty"`
	// Goal and Thought are the user's words and the agent's.
	Goal    string `json:"goal"`
	Thought string `json:"thought,omitempty"`
	// Setup is done before and not judged; Do is judged.
	Setup []Step `json:"setup,omitempty"`
	Do    Step   `json:"do"`
	// Worked is a JavaScript expression that is true when Do did what it was for.
	Worked string `json:"worked"`
	// Holds says that Worked is true before Do already, as with an action that
	// must change nothing; without it such a case is refused.
	Holds bool `json:"holds,omitempty"`
	// SettleMS is how long to wait before Worked is asked; nil means 1500.
	SettleMS *int `json:"settle,omitempty"`
}

// Step is an action on an element described as a person would.
type Step struct {
	Action action.Name `json:"action"`
	Role   string      `json:"role,omitempty"`
	Name   string      `json:"name,omitempty"`
	// Group is the name of the form, dialog, row or region around the element.
	Group string `json:"group,omitempty"`
	// Nth of those that fit, from 0; nil means that only one may.
	Nth     *int    `json:"nth,omitempty"`
	Text    string  `json:"text,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// ID names the page within its set: "train/shop".
func (p Page) ID() string { return p.Split + "/" + p.Name }

// Settle is how long to wait before asking for the truth.
func (c Case) Settle() time.Duration {
	if c.SettleMS == nil {
		return 1500 * time.Millisecond
	}
	return time.Duration(*c.SettleMS) * time.Millisecond
}

// Find reads the page folders among dirs and below them, ordered by split and name.
func Find(dirs ...string) ([]Page, error) {
	var pages []Page
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != CasesFile {
				return err
			}
			p, err := ReadPage(filepath.Dir(path))
			pages = append(pages, p)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("there is no page folder (with %s) in %v", CasesFile, dirs)
	}
	slices.SortFunc(pages, func(a, b Page) int { return strings.Compare(a.ID(), b.ID()) })
	return pages, nil
}

// ReadPage reads and checks the cases of a page folder.
func ReadPage(dir string) (Page, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Page{}, err
	}
	p := Page{Dir: dir, Name: filepath.Base(dir), Split: filepath.Base(filepath.Dir(dir))}
	text, err := os.ReadFile(filepath.Join(dir, CasesFile))
	if err != nil {
		return p, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("%s/%s: %w", p.ID(), CasesFile, err)
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("%s/%s: %w", p.ID(), CasesFile, err)
	}
	return p, nil
}

// check joins everything that is wrong with the cases as they are written.
func (p Page) check() error {
	var faults []error
	if p.About == "" || p.Language == "" || p.Hand == "" || len(p.Cases) == 0 {
		faults = append(faults, errors.New("about, language, hand and cases are required"))
	}
	names := map[string]bool{}
	for _, c := range p.Cases {
		if names[c.Name] {
			faults = append(faults, fmt.Errorf("%s: there are two cases of this name", c.Name))
		}
		names[c.Name] = true
		if err := c.check(); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	return errors.Join(faults...)
}

func (c Case) check() error {
	switch {
	case c.Name == "" || c.Kind == "" || c.Goal == "" || c.Worked == "":
		return errors.New("name, kind, goal and worked are required")
	case !asksThePage(c.Worked):
		return fmt.Errorf("worked is the same whatever the page does: %s", c.Worked)
	}
	for _, s := range append(slices.Clone(c.Setup), c.Do) {
		if err := s.On("0", Origin+"/").Validate(); err != nil {
			return err
		}
	}
	return nil
}

var (
	quoted     = regexp.MustCompile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`$]*`|/\\*.*?\\*/")
	identifier = regexp.MustCompile(`[\p{L}_$][\p{L}\p{N}_$]*`)
	constants  = []string{"true", "false", "null", "undefined", "NaN", "Infinity", "await", "void", "typeof", "new", "Boolean", "Promise", "resolve"}
)

// asksThePage reports whether an expression names anything that could differ
// from one page to another: one of literals alone is no truth.
func asksThePage(expression string) bool {
	for _, name := range identifier.FindAllString(quoted.ReplaceAllString(expression, " "), -1) {
		if !slices.Contains(constants, name) {
			return true
		}
	}
	return false
}

// On returns the step as an action on the element with this id, on a page at address.
// A navigation may be to a path of it.
func (s Step) On(id, address string) action.Action {
	a := action.Action{Name: s.Action, Text: s.Text, Seconds: s.Seconds}
	if s.HasTarget() {
		a.Target = id
	}
	if base, err := weburl.Parse(address); err == nil && s.Action == action.Navigate {
		if to, err := weburl.Resolve(base, s.Text); err == nil {
			a.Text = to.String()
		}
	}
	return a
}

// HasTarget reports whether the step names an element.
func (s Step) HasTarget() bool { return s.Role != "" || s.Name != "" }
