package llm_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// picture is a small image in either format.
func picture(t *testing.T, kind string) []byte {
	t.Helper()
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 2, 2))
	err := png.Encode(&b, img)
	if kind == "image/jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImage(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"image/jpeg", "image/png"} {
		p, err := llm.Image(picture(t, kind))
		if err != nil || p.MIME != kind || !p.IsImage() {
			t.Errorf("%s is taken for %q, %v", kind, p.MIME, err)
		}
	}
	webp := append([]byte("RIFF\x24\x00\x00\x00WEBPVP8 "), make([]byte, 30)...)
	if p, err := llm.Image(webp); err != nil || p.MIME != "image/webp" {
		t.Errorf("WebP is taken for %q, %v", p.MIME, err)
	}
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "a drawing with scripts": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
		"a page": []byte("<html>"), "a GIF": []byte("GIF89a"), "too large": append(picture(t, "image/png"), make([]byte, llm.MaxImage)...),
	} {
		if _, err := llm.Image(data); err == nil {
			t.Errorf("%s was taken for an image", name)
		}
	}
}

func TestClient_aModelThatTakesNoImagesIsAskedWithoutThem(t *testing.T) {
	t.Parallel()
	ledger := llmtest.NewLedger()
	blind, seeing := llmtest.NewFake(llmtest.Steps(llmtest.Step{Status: 404})), llmtest.NewFake(llmtest.Steps(good))
	c := newClient(t, ledger, []llm.Target{
		{Provider: "p", Model: "blind", Generator: blind, TextOnly: true},
		{Provider: "p", Model: "seeing", Generator: seeing},
	})
	shot, err := llm.Image(picture(t, "image/jpeg"))
	if err != nil {
		t.Fatal(err)
	}
	q := question()
	q.Request.User = append(q.Request.User, shot)
	if _, err := c.Ask(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if got := blind.Requests()[0].User; len(got) != 1 || got[0].IsImage() {
		t.Errorf("it was sent %d parts", len(got))
	}
	if got := seeing.Requests()[0].User; len(got) != 2 || got[1].MIME != "image/jpeg" || !bytes.Equal(got[1].Data, shot.Data) {
		t.Errorf("the other one was sent %d parts", len(got))
	}
	started, _ := ledger.Calls()
	if text, both := started[0].EstimatedInputTokens, started[1].EstimatedInputTokens; both-text != 1032 {
		t.Errorf("%d tokens are reserved for the text, %d with the image", text, both)
	}
}

func TestClient_reservesForAllThatIsSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, llmtest.Steps(good))
	q := question()
	q.Request.System, q.Request.User = strings.Repeat("word", 100), llm.Text(strings.Repeat("word", 50))
	q.Request.Schema = []byte(`{"a":1} `)
	if _, err := b.Ask(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if started, _ := b.ledger.Calls(); started[0].EstimatedInputTokens != 153 {
		t.Errorf("%d tokens are reserved", started[0].EstimatedInputTokens)
	}
}
