package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The moods of a model: how it meets every question while it has one.
const (
	moodFine int32 = iota
	moodHangs
	moodBusy      // 429, and says when to come again
	moodBusyMute  // 429, and does not say
	moodBroken    // 500
	moodCutsShort // half an answer, which it bills
)

// moodyModel answers as its mood is.
type moodyModel struct {
	*fakeGemini
	mood    atomic.Int32
	arrived atomic.Int64 // questions
	met     [moodCutsShort + 1]atomic.Int64
}

// byRules marks pages on which the model only talks, so that the rules have to decide.
const byRules = "The rules of the house apply here."

func newMoodyModel(t testing.TB) *moodyModel {
	t.Helper()
	m := &moodyModel{fakeGemini: &fakeGemini{latency: 20 * time.Millisecond}}
	m.speaks = func(prompt string) string {
		if strings.Contains(prompt, byRules) || strings.Contains(prompt, registrationValues[2]) {
			return "I would rather talk about the weather."
		}
		return modelText(prompt)
	}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}

// ServeHTTP implements http.Handler.
func (m *moodyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // all of it, or nobody notices that the asker goes away
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.arrived.Add(1)
	mood := m.mood.Load()
	m.met[mood].Add(1)
	switch mood {
	case moodHangs:
		<-r.Context().Done()
	case moodBusy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"code":429,"message":"later","status":"RESOURCE_EXHAUSTED"}}`, http.StatusTooManyRequests)
	case moodBusyMute:
		http.Error(w, `{"error":{"code":429,"message":"later","status":"RESOURCE_EXHAUSTED"}}`, http.StatusTooManyRequests)
	case moodBroken:
		http.Error(w, `{"error":{"code":500,"message":"oh","status":"INTERNAL"}}`, http.StatusInternalServerError)
	case moodCutsShort:
		whole := httptest.NewRecorder()
		m.fakeGemini.ServeHTTP(whole, r)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		m.fakeGemini.ServeHTTP(w, r)
	}
}
