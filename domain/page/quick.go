package page

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// UnmarshalJSON implements json.Unmarshaler. Most turns consist of a tree, and
// reflection took half the time of reading it. Nodes as clients usually write them
// are read directly, everything else by encoding/json.
func (n *NodeV3) UnmarshalJSON(data []byte) error {
	var quick NodeV3
	if quick.read(&cursor{data: data}) {
		*n = quick
		return nil
	}
	type plain NodeV3
	return json.Unmarshal(data, (*plain)(n))
}

func (n *NodeV3) read(c *cursor) bool {
	if !c.take('{') {
		return false
	}
	for first := true; !c.take('}'); first = false {
		if !first && !c.take(',') {
			return false
		}
		key, ok := c.text()
		if !ok || !c.take(':') || !n.field(key, c) {
			return false
		}
	}
	c.skipSpace()
	return c.at == len(c.data)
}

// field reads the value of a key. Rare keys are left to encoding/json.
func (n *NodeV3) field(key []byte, c *cursor) (ok bool) {
	switch string(key) {
	case "i":
		n.ID, ok = c.scalar()
	case "r":
		n.Role, ok = c.role()
	case "n":
		n.Name, ok = c.scalar()
	case "v":
		n.Value, ok = c.scalar()
	case "s":
		n.State, ok = c.scalar()
	case "f":
		n.Frame, ok = c.scalar()
	case "xy":
		n.XY = new([2]float64)
		ok = c.numbers(n.XY[:])
	case "box":
		n.Box = new([4]float64)
		ok = c.numbers(n.Box[:])
	case "occ":
		n.Occluded, ok = c.flag()
	case "focused":
		n.Focused, ok = c.flag()
	}
	return ok
}

// cursor reads JSON from left to right and reports what it cannot read.
type cursor struct {
	data []byte
	at   int
}

func (c *cursor) skipSpace() {
	for c.at < len(c.data) {
		switch c.data[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

func (c *cursor) take(b byte) bool {
	c.skipSpace()
	if c.at == len(c.data) || c.data[c.at] != b {
		return false
	}
	c.at++
	return true
}

// text reads a string without escapes.
func (c *cursor) text() ([]byte, bool) {
	from := c.at
	if !c.take('"') {
		return nil, false
	}
	n := plainText(c.data[c.at:])
	if n < 0 {
		c.at = from
		return nil, false
	}
	s := c.data[c.at : c.at+n]
	c.at += n + 1
	return s, true
}

// plainText returns the length of the string that begins at data, -1 if it has
// escapes or invalid UTF-8, or does not end.
func plainText(data []byte) int {
	ascii := true
	for i, b := range data {
		switch {
		case b == '"':
			if ascii || utf8.Valid(data[:i]) {
				return i
			}
			return -1
		case b == '\\' || b < ' ':
			return -1
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	return -1
}

// role reads a role without allocating for the common ones.
func (c *cursor) role() (string, bool) {
	text, ok := c.text()
	for _, known := range [...]string{"btn", "link", "inp", "chk", "radio", "sel", "opt", "tab", "menu"} {
		if string(text) == known {
			return known, ok
		}
	}
	return string(text), ok
}

// scalar reads a string or an integer.
func (c *cursor) scalar() (Scalar, bool) {
	if text, ok := c.text(); ok {
		return Scalar(text), true
	}
	from := c.at
	if !c.digits() {
		return "", false
	}
	return Scalar(c.data[from:c.at]), true
}

// digits skips a JSON integer.
func (c *cursor) digits() bool {
	from := c.at
	if c.at < len(c.data) && c.data[c.at] == '-' {
		c.at++
	}
	first := c.at
	for c.at < len(c.data) && c.data[c.at] >= '0' && c.data[c.at] <= '9' {
		c.at++
	}
	leadingZero := c.at > first+1 && c.data[first] == '0'
	fraction := c.at < len(c.data) && (c.data[c.at] == '.' || c.data[c.at]|0x20 == 'e')
	if c.at == first || leadingZero || fraction {
		c.at = from
		return false
	}
	return true
}

// numbers reads an array of exactly len(into) numbers.
func (c *cursor) numbers(into []float64) bool {
	if !c.take('[') {
		return false
	}
	for i := range into {
		if i > 0 && !c.take(',') || !c.number(&into[i]) {
			return false
		}
	}
	return c.take(']')
}

func (c *cursor) number(into *float64) bool {
	c.skipSpace()
	from := c.at
	if c.digits() {
		if n, err := strconv.Atoi(string(c.data[from:c.at])); err == nil {
			*into = float64(n)
			return n != 0 || c.data[from] != '-' // -0 is another number
		}
		return false
	}
	for c.at < len(c.data) && c.data[c.at] != ',' && c.data[c.at] != ']' {
		c.at++
	}
	if !json.Valid(c.data[from:c.at]) {
		return false
	}
	f, err := strconv.ParseFloat(string(c.data[from:c.at]), 64)
	*into = f
	return err == nil
}

func (c *cursor) flag() (b, ok bool) {
	c.skipSpace()
	for _, word := range [...]string{"true", "false"} {
		if rest := c.data[c.at:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
			c.at += len(word)
			return word == "true", true
		}
	}
	return false, false
}
