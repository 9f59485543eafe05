package codec

import (
	"bytes"
	"encoding/json"
)

// payload is a payload in its parts: what stands in clear, and the sealed texts in
// base64, nil where there is none.
type payload struct{ open, sealed, apart []byte }

// split takes a payload apart. Encode puts the sealed texts last, so they are cut off
// without a look at them: they are most of a payload, and reading them as JSON took
// longer than opening them. A payload of any other form is read as JSON.
func split(data []byte) (payload, error) {
	rest, apart := cutLast(data, apartField)
	rest, sealed := cutLast(rest, sealedField)
	if !bytes.Contains(rest, []byte(`"`+sealedField+`"`)) && !bytes.Contains(rest, []byte(`"`+apartField+`"`)) {
		return payload{rest, sealed, apart}, nil
	}
	var hidden struct {
		Sealed *string `json:"sealed"`
		Apart  *string `json:"apart"`
	}
	if err := json.Unmarshal(data, &hidden); err != nil {
		return payload{}, err
	}
	p := payload{open: data}
	if hidden.Sealed != nil {
		p.sealed = []byte(*hidden.Sealed)
	}
	if hidden.Apart != nil {
		p.apart = []byte(*hidden.Apart)
	}
	return p, nil
}

// cutLast takes the last member of an object out of it, if it has that name and is a
// text without quotes, as base64 is. The quotes around it are then the last two, and no
// text within the object can look like that: in a text quotes are escaped.
func cutLast(object []byte, name string) (rest, value []byte) {
	body, ends := bytes.CutSuffix(object, []byte(`"}`))
	if !ends {
		return object, nil
	}
	at := bytes.LastIndexByte(body, '"') + 1
	before, named := bytes.CutSuffix(body[:at], []byte(`"`+name+`":"`))
	if !named || len(before) == 0 {
		return object, nil
	}
	switch before[len(before)-1] {
	case ',':
		before = before[:len(before)-1]
	case '{':
	default:
		return object, nil
	}
	return append(bytes.Clone(before), '}'), body[at:]
}
