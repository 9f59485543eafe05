package llm

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// MaxImage bounds an image in bytes: providers refuse requests of 20 MB, and a
// screenshot is smaller.
const MaxImage = 4 << 20

// imageTypes are read by every provider.
var imageTypes = []string{"image/jpeg", "image/png", "image/webp"}

// Image returns an image as a part of a question. Its type is determined by its
// bytes. It returns an error if it is no JPEG, PNG or WebP, or larger than MaxImage.
func Image(data []byte) (Part, error) {
	if len(data) > MaxImage {
		return Part{}, fmt.Errorf("an image of %d bytes: at most %d are shown to a model", len(data), MaxImage)
	}
	kind := http.DetectContentType(data)
	if !slices.Contains(imageTypes, kind) {
		return Part{}, errors.New("this is no image in JPEG, PNG or WebP")
	}
	return Part{MIME: kind, Data: data}, nil
}

// IsImage reports whether the part is an image.
func (p Part) IsImage() bool { return len(p.Data) > 0 }

// perImage is the tokens of an image: up to four tiles of 258, which is what
// providers use for a screenshot (spec: about a thousand).
const perImage = 4 * 258

// inputTokens is the most a request's input may come to, for reservations and
// estimated bills.
func (r Request) inputTokens(count func(text string) int) int64 {
	n := count(r.System) + count(string(r.Schema)) + 1
	for _, p := range r.User {
		n += count(p.Text)
		if p.IsImage() {
			n += perImage
		}
	}
	return int64(n)
}

// withoutImages is the request for a text-only model.
func (r Request) withoutImages() Request {
	if slices.ContainsFunc(r.User, Part.IsImage) {
		r.User = slices.DeleteFunc(slices.Clone(r.User), Part.IsImage)
	}
	return r
}
