package main

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// A task that begins on one page and ends in a tab that page opens is done there.
func TestNewTab_TheTaskGoesOnInIt(t *testing.T) {
	t.Parallel()
	var saved atomic.Int32
	site := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!doctype html>"+body)
		}
	}
	site.HandleFunc("/", page(`<title>Orders</title><h1>Orders</h1><a href="/order" target=_blank>Order 7</a>`))
	site.HandleFunc("/order", page(`<title>Order 7</title><h1>Order 7</h1><button onclick="fetch('/save', {method: 'POST'}).then(() => {
		this.remove(); document.querySelector('p').textContent = 'Order 7 was saved' })">Save</button><p role=status></p>`))
	site.HandleFunc("POST /save", func(http.ResponseWriter, *http.Request) { saved.Add(1) })
	did, outcome := pursueOn(t, site, "Click Order 7, then click Save")
	if said := strings.Join(did, "\n"); outcome.Status != "completed" || saved.Load() != 1 {
		t.Errorf("%+v, saved %d times\n%s", outcome, saved.Load(), said)
	}
}
