package acttest

import (
	"fmt"
	"slices"
	"testing"
)

func TestPerform_AtMostOnceForAToken(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a onclick="log('a')">Save</button><button id=b disabled>No</button>`)
	var states []string
	err := o.act(&states, fmt.Sprintf(`(async () => {
		const p = {token: "t", action: %s}
		const states = [actor.performed("t").state]
		const both = [actor.perform(p), actor.perform(p)]
		await Promise.all(both)
		states.push(actor.performed("t").state, String((await actor.perform(p)).done), actor.performed("other").state)
		const wait = actor.perform({token: "w", action: {name: "wait", target: "", text: "", to: "", seconds: 0.05}})
		states.push(actor.performed("w").state)
		await wait
		const refused = {token: "r", action: %s}
		await actor.perform(refused)
		states.push(actor.performed("r").state, actor.performed("r").result.error.code, (await actor.perform(refused)).error.code)
		return states
	})()`, written("click", "#a"), written("click", "#b")))
	if err != nil {
		t.Fatal(err)
	}
	o.saw("a")
	want := "[unknown done true unknown begun done ELEMENT_DISABLED ELEMENT_DISABLED]"
	if got := fmt.Sprint(states); got != want {
		t.Errorf("states %s, want %s", got, want)
	}
}

// What the real mouse began has an end that only the worker knows.
func TestPerform_OfTheRealMouseIsBegunUntilItIsSaid(t *testing.T) {
	t.Parallel()
	o := page(t, `<p>x`)
	var got []string
	err := o.act(&got, `(() => {
		const states = []
		const note = () => states.push(JSON.stringify(actor.performed("t")))
		actor.began("t")
		note()
		actor.ended("t", {done: true})
		note()
		return states
	})()`)
	want := []string{`{"state":"begun","real":true}`, `{"state":"done","result":{"done":true}}`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// Begun is known from the first event on: a page that ends the world in a handler leaves
// no doubt.
func TestPerform_IsBegunWhenThePageSeesTheFirstEvent(t *testing.T) {
	t.Parallel()
	o := page(t, `<button id=a>Save</button>`)
	var got string
	err := o.act(&got, fmt.Sprintf(`(async () => {
		let first = ""
		addEventListener("pointerover", () => { first ||= actor.performed("t").state }, true)
		await actor.perform({token: "t", action: %s})
		return first
	})()`, written("click", "#a")))
	if err != nil || got != "begun" {
		t.Errorf("at the first event it is %q, %v", got, err)
	}
}

func TestPerform_WhatIsNotForAPage(t *testing.T) {
	t.Parallel()
	o := page(t, `<p>x`)
	for _, name := range []string{"navigate", "goBack", "finish", "fail"} {
		var r result
		err := o.act(&r, fmt.Sprintf(`actor.perform({token: %q, action: {name: %[1]q, target: "", text: "", to: "", seconds: 0}})`, name))
		if err != nil || r.code() != "INVALID_ACTION" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// What has taken the place of a vanished element gets a number that nothing else in the tab
// has, and says which is the last now.
func TestPerform_NumbersWhatItFindsAfterTheTabsLast(t *testing.T) {
	t.Parallel()
	o := page(t, `<p><button id=a onclick="log('a')">Save</button>`)
	var got struct {
		Recovered string
		IDs       struct{ ID, Frame int }
	}
	err := o.act(&got, `(async () => {
		await stepledger.capture({start: 40, startFrame: 2, frame: 0, offset: {x: 0, y: 0}, full: false, limit: 10000})
		const a = document.querySelector("#a")
		const target = actor.idOf("#a")
		a.replaceWith(a.cloneNode(true))
		return actor.perform({token: "t", ids: {id: 500, frame: 3}, action: {name: "click", target, text: "", to: "", seconds: 0}})
	})()`)
	if err != nil {
		t.Fatal(err)
	}
	o.saw("a")
	if want := (struct{ ID, Frame int }{501, 3}); got.Recovered != "501" || got.IDs != want {
		t.Errorf("got %+v", got)
	}
}
