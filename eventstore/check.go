package eventstore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckAppend returns an error for what no store accepts: an empty append, an invalid
// stream name, an event without id or type, data that is not JSON, or too much data.
// Every store calls it first.
func CheckAppend(stream string, expected int64, events []Proposed) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	if err := checkExpected(expected); err != nil {
		return err
	}
	if len(events) == 0 {
		return &InvalidError{"append", "it has no events"}
	}
	if len(events) > MaxAppendEvents {
		return &InvalidError{"append", fmt.Sprintf("%d events, %d are allowed", len(events), MaxAppendEvents)}
	}
	size := 0
	seen := make(map[string]bool, len(events))
	for i, e := range events {
		if err := checkEvent(i, e); err != nil {
			return err
		}
		if seen[e.ID] {
			return &InvalidError{fmt.Sprintf("event %d", i), "its id is in the append twice"}
		}
		seen[e.ID] = true
		size += len(e.Data) + len(e.Meta)
	}
	if size > MaxAppendBytes {
		return &InvalidError{"append", fmt.Sprintf("%d bytes, %d are allowed", size, MaxAppendBytes)}
	}
	return nil
}

func checkEvent(i int, e Proposed) error {
	what := fmt.Sprintf("event %d", i)
	switch {
	case !validID(e.ID):
		return &InvalidError{what, fmt.Sprintf("its id %q is not a lower-case UUID", e.ID)}
	case e.Type == "" || len(e.Type) > MaxStreamName || strings.HasPrefix(e.Type, "$"):
		return &InvalidError{what, fmt.Sprintf("its type %q is empty, too long or reserved", e.Type)}
	case strings.ContainsFunc(e.Type, unprintable):
		return &InvalidError{what, fmt.Sprintf("its type %q holds spaces or control characters", e.Type)}
	case len(e.Data)+len(e.Meta) > MaxEventBytes:
		return &InvalidError{what, fmt.Sprintf("%d bytes, %d are allowed", len(e.Data)+len(e.Meta), MaxEventBytes)}
	case !json.Valid(e.Data):
		return &InvalidError{what, "its data is not JSON"}
	case len(e.Meta) > 0 && !json.Valid(e.Meta):
		return &InvalidError{what, "its metadata is not JSON"}
	}
	return nil
}

// CheckStream returns an error for names that are empty, too long, reserved ("$...")
// or contain control characters or spaces.
func CheckStream(name string) error {
	switch {
	case name == "":
		return &InvalidError{"stream name", "it is empty"}
	case len(name) > MaxStreamName:
		return &InvalidError{"stream name", fmt.Sprintf("%d bytes, %d are allowed", len(name), MaxStreamName)}
	case strings.HasPrefix(name, "$"):
		return &InvalidError{"stream name", "names beginning with $ are reserved"}
	case strings.ContainsFunc(name, unprintable):
		return &InvalidError{"stream name", "it holds spaces or control characters"}
	}
	return nil
}

// unprintable says which runes names may not hold. Bytes that are not UTF-8
// come as the replacement character.
func unprintable(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }

// CheckRead checks the options of a stream read and fills in defaults. Every store
// calls it first.
func CheckRead(stream string, o ReadOptions) (ReadOptions, error) {
	if err := CheckStream(stream); err != nil {
		return o, err
	}
	lowest := int64(0)
	if o.Direction == Backwards {
		lowest = End
	}
	switch {
	case o.Direction != Forwards && o.Direction != Backwards:
		return o, &InvalidError{"direction", fmt.Sprintf("%d has no meaning", o.Direction)}
	case o.From < lowest:
		return o, &InvalidError{"from", fmt.Sprintf("%d is below %d", o.From, lowest)}
	}
	var err error
	o.Limit, err = checkLimit(o.Limit)
	return o, err
}

// CheckReadAll checks a read of the log and returns the effective limit. Every store
// calls it first.
func CheckReadAll(after int64, limit int, f Filter) (int, error) {
	if after < 0 {
		return 0, &InvalidError{"position", fmt.Sprintf("%d is below 0", after)}
	}
	for _, name := range slices.Concat(f.Categories, f.Types) {
		if strings.ContainsFunc(name, unprintable) {
			return 0, &InvalidError{"filter", fmt.Sprintf("%q can be no category and no type", name)}
		}
	}
	return checkLimit(limit)
}

func checkLimit(limit int) (int, error) {
	switch {
	case limit < 0 || limit > MaxPage:
		return 0, &InvalidError{"limit", fmt.Sprintf("%d is not between 1 and %d", limit, MaxPage)}
	case limit == 0:
		return MaxPage, nil
	}
	return limit, nil
}

// CheckRetention returns an error for negative limits. Every store calls it first.
func CheckRetention(stream string, r Retention) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	if r.MaxAge < 0 || r.MaxCount < 0 || r.TruncateBefore < 0 {
		return &InvalidError{"retention", "a limit is below zero"}
	}
	return nil
}

// CheckKeep checks the stream name and expectation of Delete and Tombstone. Every
// store calls it first.
func CheckKeep(stream string, expected int64) error {
	if err := CheckStream(stream); err != nil {
		return err
	}
	return checkExpected(expected)
}

// CheckKept returns the effective limit of a page of Kept.
func CheckKept(limit int) (int, error) { return checkLimit(limit) }

func checkExpected(expected int64) error {
	if expected < Any {
		return &InvalidError{"expected revision", fmt.Sprintf("%d has no meaning", expected)}
	}
	return nil
}

func validID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}
