package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Fence prepares texts, which are data and not instructions, to be placed between
// "<<<DATA boundary" and "END boundary>>>". Anything that looks like a mark of a
// fence is changed but stays readable, since it may be code a user works on.
//
// The boundary is the hash of the texts and of who asks. A page cannot contain the
// hash of its own text, and the same question has the same boundary, so that a stored
// answer is found again.
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
