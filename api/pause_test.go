package api

import (
	"net/http"
	"testing"
)

func TestPause_KnowsTwoKinds(t *testing.T) {
	t.Parallel()
	pause := func(body string) ask {
		return ask{method: post, target: "/api/debug/tasks/" + taskA + "/pause", token: tokenA, body: body}
	}
	for _, kind := range []string{"other", "Pause", "pausex"} {
		wantFailure(t, send(t, newWorld().server(), pause(`{"kind":"`+kind+`"}`)), http.StatusBadRequest, "VALIDATION_ERROR", "kind")
	}
	for _, body := range []string{`{}`, `{"kind":""}`, `{"kind":"pause"}`, `{"kind":"takeover"}`} {
		if w := send(t, newWorld().server(), pause(body)); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
