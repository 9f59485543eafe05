package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// TestModel_Screenshot: the picture of a page in mode hybrid reaches the
// provider as inline data, is kept sealed like the page, and is in no event. A
// model that takes no pictures gets the text alone.
func TestModel_Screenshot(t *testing.T) {
	t.Parallel()
	var shot bytes.Buffer
	if err := jpeg.Encode(&shot, image.NewGray(image.Rect(0, 0, 4, 4)), nil); err != nil {
		t.Fatal(err)
	}
	picture := base64.StdEncoding.EncodeToString(shot.Bytes())
	for _, tt := range []struct {
		name     string
		textOnly []string
		shown    bool
	}{
		{"a model that sees", nil, true},
		{"a model that takes text only", []string{defaultFastModel}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			url := pgtest.Database(t, "stepledger", migrate)
			cfg := testConfig(url, t.TempDir())
			cfg.Models = modelsFrom(t, model.env())
			cfg.Models.TextOnly = tt.textOnly
			s := start(t, cfg, hooks{})
			s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
			p := newPursuit()
			body, err := json.Marshal(map[string]any{
				"url": p.page.url(), "dom": p.page.dom(), "query": p.query, "domMode": "hybrid",
				"screenshot": "data:image/jpeg;base64," + picture,
			})
			if err != nil {
				t.Fatal(err)
			}
			r := s.post(t, "/api/agent/interact", body, map[string]string{"Idempotency-Key": domain.NewUUID()})
			answer := data[interact.Answer](t, r)
			if len(model.prompts) != 1 || strings.Contains(model.prompts[0], "image/jpeg"+picture) != tt.shown {
				t.Errorf("the model was asked %.2000q", model.prompts)
			}
			auditPicture(t, s, answer.TaskID, picture)
		})
	}
}

// auditPicture reads the picture back from where pictures are kept, and looks
// for it where none may be.
func auditPicture(t *testing.T, s *server, taskID, picture string) {
	t.Helper()
	var tenant string
	if err := s.db.QueryRow(t.Context(), `select tenant from content.blobs where subject = $1 limit 1`, taskID).Scan(&tenant); err != nil {
		t.Fatal(err)
	}
	refs, err := s.content.Refs(t.Context(), tenant, taskID, content.KindScreenshot)
	if err != nil || len(refs) != 1 {
		t.Fatalf("%d screenshots are kept, %v", len(refs), err)
	}
	kept, err := s.content.Get(t.Context(), tenant, taskID, refs[0])
	if err != nil || !strings.HasSuffix(string(kept), picture) {
		t.Errorf("kept is %.100q, %v", kept, err)
	}
	var inClear int
	err = s.db.QueryRow(t.Context(), `
		select (select count(*) from log.events where position(convert_to($1, 'UTF8') in data) > 0)
			+ (select count(*) from content.blobs where position(convert_to($1, 'UTF8') in body) > 0)`, picture[:40]).Scan(&inClear)
	if err != nil || inClear != 0 {
		t.Errorf("the picture stands in clear in %d places, %v", inClear, err)
	}
}
