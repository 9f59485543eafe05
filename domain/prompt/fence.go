package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Fence prepares texts that are data, not instructions, to stand in a prompt
// between "<<<DATA boundary" and "END boundary>>>". Whatever looks like a mark
// of a fence is broken, readably: it may be code a user works on.
//
// The boundary is the hash of the texts themselves and of who asks: a page
// cannot contain the hash of what contains it, and the same question has the
// same boundary, so that a kept answer is found again.
func Fence(asker string, texts ...string) (boundary string, fenced []string) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d:%s", len(asker), asker)
	fenced = make([]string, len(texts))
	for i, t := range texts {
		fenced[i] = marks.Replace(t)
		_, _ = fmt.Fprintf(h, "%d:%s", len(fenced[i]), fenced[i])
	}
	boundary = hex.EncodeToString(h.Sum(nil)[:8])
	for i := range fenced {
		fenced[i] = strings.ReplaceAll(fenced[i], boundary, "")
	}
	return boundary, fenced
}

var marks = strings.NewReplacer("<<<", "< < <", ">>>", "> > >")
