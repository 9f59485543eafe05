package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// fence prepares the fields of a prompt that hold text from pages. It adds the
// boundary that ends their fences, takes out whatever looks like one, and
// leaves Task alone, which is the user's.
//
// The boundary is the hash of the fields themselves and of who asks: a page
// cannot contain the hash of what contains it, and the same question has the
// same boundary, so that a kept answer is found again.
func fence(asker string, fields map[string]string) map[string]string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d:%s", len(asker), asker)
	for _, name := range fenced {
		fields[name] = defuse(fields[name])
		_, _ = fmt.Fprintf(h, "%d:%s", len(fields[name]), fields[name])
	}
	boundary := hex.EncodeToString(h.Sum(nil)[:8])
	for _, name := range fenced {
		fields[name] = strings.ReplaceAll(fields[name], boundary, "")
	}
	fields["Boundary"] = boundary
	return fields
}

// fenced are the fields that stand in fences, in a fixed order.
var fenced = []string{"History", "Changes", "Hints", "Page", "Action", "Answer"}

// defuse breaks the marks of a fence in page text. Marks are kept readable:
// the text may be code a user works on.
func defuse(s string) string {
	return strings.NewReplacer("<<<", "< < <", ">>>", "> > >").Replace(s)
}
