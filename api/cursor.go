package api

import (
	"encoding/base64"
	"encoding/json"
)

// cursor encodes a position in a list for the client. It is opaque, and decoding a
// forged one does no harm.
func cursor[T any](place T) string {
	b, err := json.Marshal(place)
	if err != nil {
		panic("api: encode a place in a list: " + err.Error()) // texts and times
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor is the zero value for "".
func readCursor[T any](field, text string) (place T, err error) {
	if text == "" {
		return place, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &place)
	}
	if err != nil {
		return place, invalid(field, "this is no place in a list; send what the page before said")
	}
	return place, nil
}
