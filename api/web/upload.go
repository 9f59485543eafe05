package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
)

// maxField bounds what is read of a field beside a file.
const maxField = 4 << 10

// upload hands a file over to the API as it comes. What is in it is read by nobody before
// the API knows who sends it, and then within the API's bounds.
func (p *Pages) upload(r *request) error {
	fields, file, err := formWithFile(r.Request)
	if err != nil {
		return p.addedTo(r, "", err)
	}
	head, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	begun := strings.TrimSuffix(string(head), "}") + `,"content":"`
	body := io.MultiReader(strings.NewReader(begun), &encoded{from: file}, strings.NewReader(`"}`))
	var done api.IngestedData
	err = p.fetch(r.Request, r.token, http.MethodPost, target(nil, "knowledge", "ingest"), body, &done)
	return p.addedTo(r, done.SourceID, err)
}

// formWithFile reads a form up to its file, which has to be the last of its fields, and
// returns the fields of the API's body.
func formWithFile(r *http.Request) (map[string]any, *multipart.Part, error) {
	wrong := problem("Choose a file.")
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, wrong
	}
	fields := map[string]any{}
	for {
		part, err := parts.NextPart()
		switch {
		case err != nil:
			return nil, nil, wrong
		case part.FormName() == "file" && part.FileName() == "":
			return nil, nil, wrong
		case part.FormName() == "file":
			fields["name"] = strings.ToValidUTF8(part.FileName(), "\ufffd")
			if media := part.Header.Get("Content-Type"); media != "" {
				fields["mediaType"] = strings.ToValidUTF8(media, "")
			}
			return fields, part, checkFields(fields)
		case slices.Contains(uploadFields, part.FormName()):
			text, err := io.ReadAll(io.LimitReader(part, maxField))
			if err != nil {
				return nil, nil, wrong
			}
			addField(fields, part.FormName(), strings.TrimSpace(strings.ToValidUTF8(string(text), "\ufffd")))
		}
	}
}

// uploadFields are the fields beside a file.
var uploadFields = []string{"sourceId", "sourceName", "domains", "language"}

func addField(fields map[string]any, name, typed string) {
	switch {
	case typed == "":
	case name != "domains":
		fields[name] = typed
	default:
		if domains := patternsOf(typed); len(domains) > 0 {
			fields[name] = domains
		}
	}
}

// checkFields refuses what would have no effect: a source that is there stays as it is.
func checkFields(fields map[string]any) error {
	if fields["sourceId"] == nil {
		return nil
	}
	for _, name := range uploadFields[1:] {
		if fields[name] != nil {
			return problem("Name, sites and language are of a new source: choose Files or a new one, or leave them empty.")
		}
	}
	return nil
}

// problem is a form that was filled in wrong.
func problem(what string) error {
	return &apiError{Status: http.StatusBadRequest, Code: domain.CodeInvalidRequest, Message: what}
}

// encoded reads bytes as base64.
type encoded struct {
	from io.Reader
	raw  [3 << 10]byte
	text [4 << 10]byte
	left []byte
	err  error
}

// Read implements io.Reader.
func (e *encoded) Read(p []byte) (int, error) {
	if len(e.left) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		n, err := io.ReadFull(e.from, e.raw[:])
		if e.err = err; errors.Is(err, io.ErrUnexpectedEOF) {
			e.err = io.EOF
		}
		base64.StdEncoding.Encode(e.text[:], e.raw[:n])
		e.left = e.text[:base64.StdEncoding.EncodedLen(n)]
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}
