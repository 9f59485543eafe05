// Package words has the English words by which the acting half of the rules reads what
// controls are called, and the parts of a task it reads itself. They are the lines of
// english.txt, a class a line, and are in no Go file.
//
// It promises that a class that is asked for is there: who asks for another does so when
// the program starts, and it does not start. What a class is for stands above it in the
// file; what is done with it is the matter of the package that asks for it.
//
// It knows no other language, nothing of forms of words ("saved" is not "save"), and
// compares nothing. Words that messages and pages say are in package lexicon, those of
// sentences that tell what to do in domain/instruction. Roles, attributes and keys as
// browsers call them are no words of a language.
//
// The file is read once and nothing here changes after that; all of it is safe for
// concurrent use.
package words

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed english.txt
var english string

// read gives the classes of the file, which is part of the program: one that cannot be
// read is a mistake that shows when the program starts.
var read = sync.OnceValue(func() map[string][]string {
	classes, err := parse(english)
	if err != nil {
		panic(fmt.Errorf("read english.txt: %w", err))
	}
	return classes
})

// Set are the words of a class. The map is the caller's own. It panics if there is no
// such class.
func Set(class string) map[string]bool {
	set := map[string]bool{}
	for _, w := range wordsOf(class) {
		set[w] = true
	}
	return set
}

// List are the words of a class in the order of the file. The slice is the caller's own.
// It panics if there is no such class.
func List(class string) []string { return slices.Clone(wordsOf(class)) }

// Under are the words of all classes of a family, each as List, by the rest of its name:
// those of "key Enter" and "key Tab" under "key" are by "Enter" and "Tab". It panics if
// there is no class of it.
func Under(family string) map[string][]string {
	out := map[string][]string{}
	for class, list := range read() {
		if name, ok := strings.CutPrefix(class, family+" "); ok {
			out[name] = slices.Clone(list)
		}
	}
	if len(out) == 0 {
		panic(fmt.Sprintf("words: no class of the family %q", family))
	}
	return out
}

func wordsOf(class string) []string {
	list, ok := read()[class]
	if !ok {
		panic(fmt.Sprintf("words: no class %q, there are %q", class, slices.Sorted(maps.Keys(read()))))
	}
	return list
}

// comma stands for a comma, which separates words.
const comma = "(,)"

// parse reads lines "class: word, two words". A class is there once, and has each of its
// words once.
func parse(file string) (map[string][]string, error) {
	classes := map[string][]string{}
	n := 0
	for line := range strings.Lines(file) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		class, rest, ok := strings.Cut(line, ": ")
		if _, again := classes[class]; !ok || again || class == "" {
			return nil, fmt.Errorf("line %d: %q is no class with its words, or is there twice", n, line)
		}
		var list []string
		for _, w := range strings.Split(rest, ", ") {
			if w = strings.TrimSpace(w); w == comma {
				w = ","
			}
			if w == "" || slices.Contains(list, w) {
				return nil, fmt.Errorf("line %d: %q is empty or there twice in %q", n, w, class)
			}
			list = append(list, w)
		}
		classes[class] = list
	}
	return classes, nil
}
