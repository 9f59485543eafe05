package model_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/llm"
)

func TestReasoner_Act_showsTheScreenshotInModeHybrid(t *testing.T) {
	t.Parallel()
	var shot bytes.Buffer
	if err := jpeg.Encode(&shot, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, mode string
		sent       []byte
		shown      bool
	}{
		{"a picture of a hybrid page is shown", page.ModeHybrid, shot.Bytes(), true},
		{"a hybrid page without one stands by itself", page.ModeHybrid, nil, false},
		{"what is no picture is left out", page.ModeHybrid, []byte("<script>"), false},
		{"other modes are text", page.ModeSkeleton, shot.Bytes(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer("no JSON"), answer(save))
			q := actQuestion()
			q.Page.Mode, q.Screenshot = tt.mode, tt.sent
			if _, err := b.Act(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			for i, r := range b.fake.Requests() { // the repair is about the same picture
				var images []llm.Part
				for _, p := range r.User {
					if p.IsImage() {
						images = append(images, p)
					}
				}
				if (len(images) == 1) != tt.shown || tt.shown && (images[0].MIME != "image/jpeg" || !bytes.Equal(images[0].Data, tt.sent)) {
					t.Errorf("request %d shows %d pictures", i, len(images))
				}
				if r.User[0].Text == "" {
					t.Errorf("request %d does not begin with text", i)
				}
			}
		})
	}
}
