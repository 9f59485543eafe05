package words

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every class can be read, as a set and as a list, and has a comment above it that says
// what it is for: its own, or that of the family it is of.
func TestClasses(t *testing.T) {
	t.Parallel()
	above := ""
	for i, line := range strings.Split(strings.TrimSpace(english), "\n") {
		if line == "" || line[0] == '#' {
			above = line
			continue
		}
		class, _, _ := strings.Cut(line, ": ")
		list, set := List(class), Set(class)
		if len(list) == 0 || len(set) != len(list) || slices.ContainsFunc(list, func(w string) bool { return !set[w] }) {
			t.Errorf("line %d: %q is read as %q and %v", i+1, line, list, set)
		}
		family, _, _ := strings.Cut(class, " ")
		if above == "" || above[0] != '#' && !strings.HasPrefix(above, family+" ") {
			t.Errorf("line %d: nothing says what %q is for", i+1, class)
		}
		above = line
	}
	if len(read()) < 5 {
		t.Errorf("only %d classes", len(read()))
	}
}

// What is read is the caller's own.
func TestSet_IsOwn(t *testing.T) {
	t.Parallel()
	class := slices.Sorted(maps.Keys(read()))[0]
	Set(class)["xyzzy"] = true
	List(class)[0] = "xyzzy"
	if Set(class)["xyzzy"] {
		t.Error("a caller changed what others read")
	}
}

func TestUnder(t *testing.T) {
	t.Parallel()
	if got := Under("sign"); !slices.Contains(got["next"], "»") || slices.Contains(got["previous"], "»") {
		t.Errorf("signs are %v", got)
	}
}

func TestUnknown_Panics(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(){
		"set": func() { Set("no such class") }, "list": func() { List("no such class") }, "under": func() { Under("no such family") },
		"a family is no class": func() { Set("sign") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it went on", name)
				}
			}()
			ask()
		}()
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse("# of\n\na: b, (,), :, c d\ne f: #\n")
	if err != nil || len(got) != 2 || !slices.Equal(got["a"], []string{"b", ",", ":", "c d"}) || !slices.Equal(got["e f"], []string{"#"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, wrong := range []string{"a b", "a:", "a: b\na: c", "a: b, b", "a: b, , c", ": b"} {
		if got, err := parse(wrong); err == nil {
			t.Errorf("%q is read as %q", wrong, got)
		}
	}
}

// asked is where Go code asks for a class or a family.
var asked = regexp.MustCompile(`\bwords\.(Set|List|Under)\("([^"]*)"\)`)

// A class that no package asks for is of no use, and its words say what is not so.
func TestClasses_AreUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, file := range goFiles(t) {
		for _, m := range asked.FindAllStringSubmatch(file, -1) {
			if m[1] != "Under" {
				used[m[2]] = true
				continue
			}
			for name := range Under(m[2]) {
				used[m[2]+" "+name] = true
			}
		}
	}
	for class := range read() {
		if !used[class] {
			t.Errorf("nobody asks for %q", class)
		}
		delete(used, class)
	}
	for class := range used {
		t.Errorf("%q is asked for and not there", class)
	}
}

// goFiles are the sources of the rules, without tests.
func goFiles(t *testing.T) (out []string) {
	t.Helper()
	names, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}
