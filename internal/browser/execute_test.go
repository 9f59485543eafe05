package browser

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/demoapp"
)

func TestTab_Execute_AddsAPatient(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/")
	r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "New patient")))
	if !r.DidURLChange || !r.DidNetworkOccur || !r.DidDOMMutate || !strings.HasSuffix(r.URL, "/patients/new") {
		t.Errorf("opening the form: %+v", r)
	}
	c := tab.mustCapture(t)
	tab.does(t, setValue(id(t, c, "inp", "Full name"), "Jas Ünlü"))
	tab.does(t, setValue(id(t, c, "inp", "Date of birth"), "1990-05-31"))
	if r := tab.does(t, setValue(id(t, c, "combobox", "Gender"), "other")); r.ActualState != "Other" {
		t.Errorf("chosen: %q", r.ActualState)
	}
	tab.does(t, setValue(id(t, c, "chk", "The patient agrees to be contacted"), "true"))

	r = tab.does(t, click(id(t, c, "btn", "Save")))
	c = tab.mustCapture(t)
	node(t, c, "link", "Jas Ünlü")
	if !strings.Contains(c.DOM, "1990-05-31") || !strings.Contains(c.DOM, "<td>Other</td>") {
		t.Errorf("the row is not in %s", c.DOM)
	}
	said := strings.Join(r.RecentEvents, "\n")
	if !strings.Contains(said, "Added: 'Patient Jas Ünlü was added'") || !c.HasSuccess || c.HasErrors {
		t.Errorf("events %q, success %v %q, errors %v %q", said, c.HasSuccess, c.Successes, c.HasErrors, c.Errors)
	}
}

func TestTab_Execute_ValidationErrorsAreErrors(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/patients/new")
	r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Save")))
	c := tab.mustCapture(t)
	if !c.HasErrors || c.HasSuccess || !slices.Contains(c.Errors, "Full name is required") {
		t.Errorf("errors %q, success %q", c.Errors, c.Successes)
	}
	if s := node(t, c, "inp", "Full name").State; s != "required,invalid" {
		t.Errorf("the field's state is %q", s)
	}
	if said := strings.Join(r.RecentEvents, "\n"); !strings.Contains(said, "Error: 'Full name is required'") {
		t.Errorf("events %q", said)
	}
}

func TestTab_Execute_BrokenButtonChangesNothing(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{BrokenButton: true}, "/")
	c := tab.mustCapture(t)
	// Long enough for the clock to tick: a tick is no mutation.
	tab.does(t, action.Action{Name: action.Wait, Seconds: 1.1})
	r := tab.does(t, click(id(t, c, "btn", "New patient")))
	if r.DidNetworkOccur || r.DidDOMMutate || r.DidURLChange || len(r.RecentEvents) > 0 || r.DOMChanges.AddedCount > 0 {
		t.Errorf("a dead button was witnessed to do something: %+v", r)
	}
	if later := tab.mustCapture(t); later.DOM == c.DOM {
		t.Error("the clock did not tick: this test proves nothing")
	}
	r = tab.does(t, click(id(t, c, "link", "Add patient")))
	if !r.DidURLChange {
		t.Errorf("the link: %+v", r)
	}
}

// A page may say what it likes over a request that was refused: the refusal is
// told, whether it is the document that was refused or what a script asked for.
func TestTab_Execute_TellsOfRefusedRequests(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/flaky")
	c := tab.mustCapture(t)
	tab.does(t, action.Action{Name: action.SetValue, Target: id(t, c, "inp", "Reason"), Text: "knee"})
	r := tab.does(t, click(id(t, c, "btn", "Submit referral")))
	if want := []FailedRequest{{"POST", "/flaky", 500}}; !slices.Equal(r.FailedRequests, want) {
		t.Errorf("refused: %+v, want %+v", r.FailedRequests, want)
	}
	if r = tab.does(t, click(id(t, tab.mustCapture(t), "link", "Add patient"))); len(r.FailedRequests) > 0 {
		t.Errorf("of the action before: %+v", r.FailedRequests)
	}
	scripted := openHTML(t, `<button onclick="fetch('/refused?token=1', {method: 'POST'})">Save</button><img src="/none.png">`)
	r = scripted.does(t, click(id(t, scripted.mustCapture(t), "btn", "Save")))
	if want := []FailedRequest{{"POST", "/refused", 503}}; !slices.Equal(r.FailedRequests, want) {
		t.Errorf("refused: %+v", r.FailedRequests)
	}
}

// What no role, name or state tells: whether the control itself is another than
// before, whether its script gave up, whether the server has not answered yet.
func TestTab_Execute_TellsWhatBecameOfTheControl(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<body>
		<button>Dead</button> <p id=p></p> <button onclick="p.textContent = 'news'">Elsewhere</button>
		<button onclick="this.classList.toggle('on')">Like</button>
		<button onmousedown="this.className = 'ripple'" onclick="this.removeAttribute('class')">Ripple</button>
		<button class="btn" onclick="this.classList.add('btn--focused')">Pointed</button>
		<button onfocus="this.classList.add('has-focus')">Bare</button>
		<button onclick="document.body.dataset.theme = 'dark'">Dark</button>
		<button onclick="none.such()">Broken</button>
		<button onclick="Promise.reject(new Error('no'))">Unhandled</button>
		<button onclick="fetch('/stall')">Slow</button>
		<button onclick="fetch('/slow')">Unread</button>
		<button onclick="setTimeout(() => p.append('late'), 200)">Later</button>
		<button onclick="requestAnimationFrame(() => p.append('soon'))">Soon</button>
		<button onclick="for (const end = Date.now() + 200; Date.now() < end;); p.append('hard')">Hard</button>
		<script>setInterval(() => tick.textContent = Date.now(), 20)</script><b id=tick></b>
		<button onclick="this.remove()">Leave</button>`)
	c := tab.mustCapture(t)
	yes, no := true, false
	for _, tt := range []struct {
		button  string
		changed *bool
		direct  bool
		errors  int
		pending int
	}{
		{"Dead", &no, false, 0, 0},
		{"Elsewhere", &no, true, 0, 0},
		{"Like", &yes, true, 0, 0},
		{"Ripple", &no, true, 0, 0},
		{"Pointed", &no, true, 0, 0},
		{"Bare", &no, true, 0, 0},
		{"Dark", &yes, true, 0, 0},
		{"Broken", &no, false, 1, 0},
		{"Unhandled", &no, false, 1, 0},
		{"Slow", &no, false, 0, 1},
		{"Unread", &no, false, 0, 0},
		{"Dead", &no, false, 0, 0},
		{"Later", &no, false, 0, 0},
		{"Soon", &no, true, 0, 0},
		{"Hard", &no, true, 0, 0},
		{"Leave", nil, true, 0, 0},
	} {
		r := tab.does(t, click(id(t, c, "btn", tt.button)))
		if direct := r.DirectMutations != nil && *r.DirectMutations > 0; direct != tt.direct {
			t.Errorf("%s: answered at once: %t", tt.button, direct)
		}
		if diff := cmp.Diff(tt.changed, r.TargetChanged); diff != "" || r.ScriptErrors != tt.errors || r.PendingRequests != tt.pending {
			t.Errorf("%s: changed (-want +got) %s, %d errors, %d pending: %+v", tt.button, diff, r.ScriptErrors, r.PendingRequests, r)
		}
	}
}

func TestTab_Execute_AToastIsHeardAndVanishes(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/patients/1")
	tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Archive patient")))
	if c := tab.mustCapture(t); !slices.Contains(c.Successes, "Patient Amira Haddad was archived") {
		t.Errorf("successes %q", c.Successes)
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		r := tab.does(t, action.Action{Name: action.Wait, Seconds: 0.3})
		if slices.ContainsFunc(r.RecentEvents, func(s string) bool { return strings.Contains(s, "Removed: 'Patient Amira Haddad was archived'") }) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the toast did not vanish")
		}
	}
	if c := tab.mustCapture(t); c.HasSuccess {
		t.Errorf("the old toast still counts: %q", c.Successes)
	}
}

func TestTab_Execute_OpensADropdown(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/")
	c := tab.mustCapture(t)
	r := tab.does(t, click(id(t, c, "btn", "More")))
	if !r.DOMChanges.DropdownDetected || !slices.Equal(r.DOMChanges.DropdownOptions, []string{"Export", "Archive"}) || !r.DidDOMMutate {
		t.Errorf("opening the menu: %+v", r)
	}
	c = tab.mustCapture(t)
	if s := node(t, c, "btn", "More").State; s != "expanded,haspopup" {
		t.Errorf("the button's state is %q", s)
	}
	export := id(t, c, "menu", "Export")
	r = tab.does(t, click(export))
	if !slices.ContainsFunc(r.RecentEvents, func(s string) bool { return strings.Contains(s, "a download of patients.csv") }) || r.DidURLChange {
		t.Errorf("exporting: %+v", r)
	}
	tab.does(t, click(id(t, c, "btn", "More")))
	r = tab.does(t, action.Action{Name: action.Press, Text: "Escape"})
	if !r.DidDOMMutate || strings.Contains(treeText(tab.mustCapture(t)), "Export") {
		t.Errorf("Escape did not close the menu: %+v", r)
	}
}

// A page may write its options in another Unicode form than who asks for them.
func TestTab_Execute_choosesInEitherUnicodeForm(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, "<select aria-label=City><option value=1>Basel<option value=2>Zu\u0308rich</select>")
	c := tab.mustCapture(t)
	if r := tab.does(t, setValue(id(t, c, "combobox", "City"), "Zürich")); r.ActualState != "Zürich" {
		t.Errorf("%+v", r)
	}
}

// What the browser would not send is marked as wrong, as pages mark it themselves.
func TestTab_Execute_tellsWhatIsOutOfForm(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, "<input type=email aria-label=Mail required><input type=number aria-label=Count max=5>")
	c := tab.mustCapture(t)
	if strings.Contains(string(c.Tree[0].State), "invalid") {
		t.Errorf("an empty field: %+v", c.Tree[0])
	}
	tab.does(t, setValue(id(t, c, "inp", "Mail"), "jas"))
	tab.does(t, setValue(string(c.Tree[1].ID), "4"))
	c = tab.mustCapture(t)
	if !strings.Contains(string(c.Tree[0].State), "invalid") || strings.Contains(string(c.Tree[1].State), "invalid") {
		t.Errorf("%+v", c.Tree)
	}
}

func TestTab_Execute_Refuses(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button disabled>Off</button><fieldset disabled><button>Inside</button></fieldset>
		<button style="margin-top:40px" id=hide>Soon hidden</button><button>Covered</button><input aria-label=Fixed readonly value=x>
		<select aria-label=Pick><option>One<option>Two<option disabled>Three</select><input type=date aria-label=Day>
		<input type=checkbox aria-label=Tick><input type=radio aria-label=Round checked>
		<div id=cover hidden style="position:fixed;inset:0;background:#fff">Please wait</div>`)
	c := tab.mustCapture(t)
	covered, hidden := id(t, c, "btn", "Covered"), id(t, c, "btn", "Soon hidden")
	tests := []struct {
		name string
		act  action.Action
		code string
	}{
		{"an element that never was", click("4711"), CodeNotFound},
		{"a disabled button", click(id(t, c, "btn", "Off")), CodeDisabled},
		{"a button in a disabled group", click(id(t, c, "btn", "Inside")), CodeDisabled},
		{"a read-only field", setValue(id(t, c, "inp", "Fixed"), "y"), CodeNotEditable},
		{"text for a button", setValue(covered, "y"), CodeNotEditable},
		{"an option that is not there", setValue(id(t, c, "combobox", "Pick"), "Four"), CodeOptionNotFound},
		{"an option that is disabled", setValue(id(t, c, "combobox", "Pick"), "Three"), CodeOptionNotFound},
		{"a date that is none", setValue(id(t, c, "inp", "Day"), "31.5.1990"), CodeValueRefused},
		{"a checkbox set to a word", setValue(id(t, c, "chk", "Tick"), "maybe"), CodeValueRefused},
		{"a radio button cleared", setValue(id(t, c, "radio", "Round"), "false"), CodeValueRefused},
		{"a script as an address", action.Action{Name: action.Navigate, Text: "javascript:alert(1)"}, CodeInvalidAction},
		{"a key that is none", action.Action{Name: action.Press, Text: "Hyper+Q"}, CodeInvalidAction},
		{"no page to go back to", action.Action{Name: action.GoBack}, CodeNoHistory},
		{"a page with no more to scroll", action.Action{Name: action.Scroll}, CodeNothingToScroll},
	}
	for _, tt := range tests { // one tab: one after the other
		r := tab.fails(t, tt.act, tt.code)
		if r.Error.Action != tt.act.String() || r.Error.ElementID != tt.act.Target || r.DidDOMMutate {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	tab.eval(t, `document.getElementById('hide').style.display = 'none'; document.getElementById('cover').hidden = false`)
	tab.fails(t, click(hidden), CodeNotVisible)
	if r := tab.fails(t, click(covered), CodeOccluded); !strings.Contains(r.Error.Message, "Please wait") {
		t.Errorf("message %q does not say by what", r.Error.Message)
	}
}

func TestTab_Execute_WaitsForAnOverlayToGo(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button onclick="document.title='clicked'">Save</button><div id=cover style="position:fixed;inset:0"></div>`)
	c := tab.mustCapture(t)
	tab.eval(t, `setTimeout(() => document.getElementById('cover').remove(), 200)`)
	tab.does(t, click(id(t, c, "btn", "Save")))
	if title := tab.mustCapture(t).Title; title != "clicked" {
		t.Errorf("title %q", title)
	}
}

func TestTab_Execute_ScrollsToWhatIsBelow(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div style="height:1300px"></div><button onclick="this.textContent='Reached'">Below</button>`)
	tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Below")))
	node(t, tab.mustCapture(t), "btn", "Reached")
}

// A link broken over two lines has its centre in the paragraph between them.
func TestTab_Execute_HitsWhatIsBroken(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p style="width:300px;font:20px/40px monospace">Please read <a href="#" onclick="document.title='read'">our<br>terms</a> with care.</p>
		<p><button style="pointer-events:none">Let through</button></p>
		<script>document.querySelectorAll('p')[1].onclick = () => { document.title = 'through'; };</script>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "link", "our terms")))
	if title := tab.mustCapture(t).Title; title != "read" {
		t.Errorf("title %q", title)
	}
	tab.does(t, click(id(t, c, "btn", "Let through")))
	if title := tab.mustCapture(t).Title; title != "through" {
		t.Errorf("title %q", title)
	}
}

func TestTab_Execute_TypesLikeAPerson(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<form action="/found"><input aria-label=Field name=q value="old text"></form><div contenteditable=true role=textbox aria-label=Rich>bold</div>
		<input type=color aria-label=Colour><input type=checkbox aria-label=Tick checked>
		<div role=switch tabindex=0 aria-label=Switch onclick="this.setAttribute('aria-checked', this.ariaChecked !== 'true')">o</div>
		<select multiple aria-label=Many><option>One<option>Two</select><output></output><script>
		let events = [];
		document.addEventListener('input', (e) => events.push('input'));
		document.addEventListener('change', (e) => { events.push('change'); document.querySelector('output').textContent = events.join(); });
		</script>`)
	c := tab.mustCapture(t)
	field := id(t, c, "inp", "Field")
	tab.does(t, setValue(field, "new «text» 🎉"))
	after := tab.mustCapture(t)
	if v := node(t, after, "inp", "Field").Value; v != "new «text» 🎉" {
		t.Errorf("the field holds %q", v)
	}
	if !strings.Contains(after.DOM, "<output>"+strings.Repeat("input,", 12)+"change</output>") {
		t.Errorf("the page heard %s", after.DOM)
	}
	tab.does(t, setValue(field, ""))
	tab.does(t, setValue(id(t, c, "inp", "Rich"), "plain"))
	tab.does(t, setValue(id(t, c, "chk", "Tick"), "off"))
	tab.does(t, setValue(id(t, c, "chk", "Tick"), "off"))        // already is
	tab.does(t, setValue(id(t, c, "switch", "Switch"), "false")) // already is, without a word
	tab.does(t, setValue(id(t, c, "switch", "Switch"), "true"))
	tab.does(t, setValue(id(t, c, "listbox", "Many"), "Two"))
	after = tab.mustCapture(t)
	for _, n := range []struct{ role, name, value, state string }{
		{"inp", "Field", "", ""}, {"inp", "Rich", "plain", ""}, {"chk", "Tick", "", "unchecked"}, {"listbox", "Many", "Two", ""},
		{"switch", "Switch", "", "checked"},
	} {
		got := node(t, after, n.role, n.name)
		if string(got.Value) != n.value || !strings.HasPrefix(string(got.State), n.state) {
			t.Errorf("%s holds %q, state %q; want %q, %q", n.name, got.Value, got.State, n.value, n.state)
		}
	}
	tab.does(t, setValue(field, "x"))
	tab.does(t, action.Action{Name: action.Press, Text: "Control+a"})
	tab.does(t, action.Action{Name: action.Press, Text: "y"})
	r := tab.does(t, action.Action{Name: action.Press, Text: "Enter"})
	if !strings.HasSuffix(r.URL, "/found?q=y") {
		t.Errorf("Enter led to %s", r.URL)
	}
	if r := tab.does(t, action.Action{Name: action.GoBack}); !r.DidURLChange || strings.Contains(r.URL, "found") {
		t.Errorf("going back led to %s", r.URL)
	}
}

func TestTab_Execute_AFieldMayLeadToAnotherPage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ field, role, value string }{
		"a select that leads on":    {`<select aria-label=F onchange="location.assign('/on')"><option>One<option>Two</select>`, "combobox", "Two"},
		"a field that sends itself": {`<form action="/on"><input aria-label=F onchange="form.submit()"></form>`, "inp", "x"},
		"a date that leads on":      {`<input type=date aria-label=F onchange="location.assign('/on')">`, "inp", "1990-05-31"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, tt.field)
			r := tab.does(t, setValue(id(t, tab.mustCapture(t), tt.role, "F"), tt.value))
			if !strings.Contains(r.URL, "/on") || !r.DidURLChange || !r.DidDOMMutate {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestTab_Execute_HoverNavigateAndNothing(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<style>#tip{display:none}button:hover+#tip{display:block}</style><button>Hover</button><a id=tip href="/tip">Tip</a>`)
	c := tab.mustCapture(t)
	tab.does(t, action.Action{Name: action.Hover, Target: id(t, c, "btn", "Hover")})
	node(t, tab.mustCapture(t), "link", "Tip")
	r := tab.does(t, action.Action{Name: action.Navigate, Text: c.URL + "elsewhere"})
	if !r.DidURLChange || !r.DidNetworkOccur || r.PreviousURL != c.URL {
		t.Errorf("navigating: %+v", r)
	}
	for _, a := range []action.Action{{Name: action.Finish}, {Name: action.VerifySuccess, Text: "done"}} {
		if r := tab.does(t, a); r.DidURLChange || r.Duration > time.Second {
			t.Errorf("%s: %+v", a, r)
		}
	}
	tab.opts.NavigationTimeout = 200 * time.Millisecond
	tab.fails(t, action.Action{Name: action.Navigate, Text: c.URL + "stall"}, CodeNavigationFailed)
	tab.fails(t, action.Action{Name: action.Navigate, Text: "http://127.0.0.1:1/"}, CodeNavigationFailed)
	if _, err := tab.Capture(t.Context()); err != nil {
		t.Errorf("after a failed navigation: %v", err)
	}
}

// A navigation may be given up in the moment the next document replaces the present one.
func TestTab_Execute_NavigationGivenUpAtAnyMoment(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, "<p>Here</p>")
	for wait := time.Millisecond; wait < 40*time.Millisecond; wait += time.Millisecond {
		tab.opts.NavigationTimeout = wait
		tab.fails(t, action.Action{Name: action.Navigate, Text: "http://127.0.0.1:1/"}, CodeNavigationFailed)
	}
}

func TestTab_Execute_RecoversAVanishedElement(t *testing.T) {
	t.Parallel()
	const page = `<main></main><script>
		const render = () => { document.querySelector('main').innerHTML = '<button>Save</button> <a href="/a">Edit</a> <a href="/b">Edit</a>'; };
		render();
	</script>`
	t.Run("the same button rendered anew is used", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, page)
		old := id(t, tab.mustCapture(t), "btn", "Save")
		tab.eval(t, `document.querySelector('main').innerHTML = '<button onclick="document.title=\'saved\'">Save</button>'`)
		r := tab.does(t, click(old))
		c := tab.mustCapture(t)
		if now := id(t, c, "btn", "Save"); r.RecoveredID != now || now == old || c.Title != "saved" {
			t.Errorf("recovered %q, the button is %q, title %q", r.RecoveredID, now, c.Title)
		}
	})
	t.Run("one of several alike is not guessed", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, page)
		c := tab.mustCapture(t)
		tab.eval(t, `document.querySelector('main').innerHTML = '<a href="/b">Edit</a>'`)
		for _, n := range c.Tree {
			if n.Name == "Edit" {
				tab.fails(t, click(string(n.ID)), CodeNotFound)
			}
		}
	})
	t.Run("another name is another button", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, page)
		old := id(t, tab.mustCapture(t), "btn", "Save")
		tab.eval(t, `document.querySelector('main').innerHTML = '<button>Delete</button>'`)
		tab.fails(t, click(old), CodeNotFound)
	})
	t.Run("another page has other elements", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, page)
		c := tab.mustCapture(t)
		tab.does(t, action.Action{Name: action.Navigate, Text: c.URL + "other"})
		tab.eval(t, `document.body.innerHTML = '<button>Save</button>'`)
		tab.fails(t, click(id(t, c, "btn", "Save")), CodeNotFound)
	})
}

func TestTab_Execute_HearsWhatIsSaidBeforeThePageIsLeft(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button onclick="document.body.insertAdjacentHTML('beforeend', '<p role=alert>Session expired: not saved</p>');
		setTimeout(() => location.assign('/other'), 50)">Save</button>`)
	r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Save")))
	if said := strings.Join(r.RecentEvents, "\n"); !strings.Contains(said, "Error: 'Session expired: not saved'") || !r.DidURLChange {
		t.Errorf("events %q, url %s", said, r.URL)
	}
	if c := tab.mustCapture(t); !c.HasErrors {
		t.Error("the capture of the next page does not know of the error")
	}
}

func TestTab_Settle(t *testing.T) {
	t.Parallel()
	t.Run("what arrives late is waited for", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, `<button onclick="
			fetch('/slow').then(() => setTimeout(() => document.body.append('Loaded'), 30))">Load</button>`)
		tab.opts.Stability.NetworkIdle = 500 * time.Millisecond // the timer fires in it, also on a busy machine
		r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Load")))
		if !r.DidNetworkOccur || !r.DidDOMMutate || !strings.Contains(tab.mustCapture(t).DOM, "Loaded") {
			t.Errorf("not waited for: %+v", r)
		}
	})
	t.Run("what an action leaves for a moment later is waited for", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, `<label><input type=checkbox onchange="setTimeout(() => setTimeout(() => this.checked = false, 400), 500)">News</label>
			<button onclick="setTimeout(() => p.textContent = 'late', 5000)">Toast</button><p id=p></p>
			<iframe srcdoc="<button onclick='setTimeout(() => document.body.append(`+"`Framed`"+`), 900)'>Inner</button>"></iframe>
			<script>(function tick() { setTimeout(tick, 50) })()</script>`)
		tab.opts.Stability.Max = patience
		c := tab.mustCapture(t)
		tab.does(t, setValue(id(t, c, "chk", "News"), "true"))
		if s := string(node(t, tab.mustCapture(t), "chk", "News").State); strings.Contains(s, "checked") && !strings.Contains(s, "unchecked") {
			t.Errorf("the tick was not seen to be taken back: %q", s)
		}
		tab.does(t, click(id(t, c, "btn", "Inner")))
		if !strings.Contains(tab.mustCapture(t).DOM, "Framed") {
			t.Error("what a frame does later was not waited for")
		}
		if r := tab.does(t, click(id(t, c, "btn", "Toast"))); r.DOMChanges.StabilizationTime >= 5000 {
			t.Errorf("a long timer was waited for: %+v", r)
		}
	})
	t.Run("a page that never rests is left after the longest wait", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, `<button onclick="setInterval(() => { document.querySelector('ul').innerHTML = '<li>' + Math.random() }, 10)">Go</button><ul></ul>`)
		// On a busy machine it is not drawn for a while.
		tab.opts.Stability.DOMSettled, tab.opts.Stability.Max = time.Second, 3*time.Second
		r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Go")))
		if took := time.Duration(r.DOMChanges.StabilizationTime) * time.Millisecond; took < tab.opts.Stability.Max || took > patience {
			t.Errorf("it took %v, the longest wait is %v", took, tab.opts.Stability.Max)
		}
	})
	t.Run("a ticker is not waited for", func(t *testing.T) {
		t.Parallel()
		tab := openHTML(t, `<button>Go</button><output>0</output><script>
			setInterval(() => { document.querySelector('output').textContent++ }, 20)</script>`)
		tab.opts.Stability.Max = patience
		for deadline := time.Now().Add(patience); len(tab.hears(t)) < 2 && time.Now().Before(deadline); { // it has to tick before it is known for that
			time.Sleep(20 * time.Millisecond)
		}
		r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Go")))
		if r.DOMChanges.StabilizationTime >= patience.Milliseconds() || r.DidDOMMutate {
			t.Errorf("a ticking number: %+v", r)
		}
	})
}

func TestStability_SpecIsTheDefault(t *testing.T) {
	t.Parallel()
	want := Stability{500 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond, 5 * time.Second}
	if got := (Stability{}).orSpec(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (Stability{Min: 9 * time.Second}).orSpec(); got.Max < got.Min {
		t.Errorf("longest wait %v is below the shortest %v", got.Max, got.Min)
	}
}
