package action

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// valid draws any valid action.
func valid() *rapid.Generator[Action] {
	char := rapid.Rune().Filter(func(r rune) bool { return !isControl(r) && r != 0xfffd && (r < 0xd800 || r > 0xdfff) })
	line := rapid.StringOfN(char, 1, 40, -1)
	text := rapid.StringOfN(rapid.OneOf(char, rapid.SampledFrom([]rune("\n\t\r\"'\\(),;"))), 0, 60, -1)
	word := text.Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	return rapid.Custom(func(t *rapid.T) Action {
		a := Action{Name: rapid.SampledFrom(grammar).Draw(t, "form").name}
		switch a.Name {
		case Click, Hover:
			a.Target = line.Draw(t, "target")
		case Scroll:
			a.Target = rapid.OneOf(rapid.Just(""), line.Filter(func(s string) bool { return !isDirection(strings.ToLower(s)) })).Draw(t, "target")
			a.Text = rapid.SampledFrom([]string{"", Up, Down}).Draw(t, "direction")
		case Type:
			a.Text = word.Draw(t, "text")
		case Drag:
			a.Target, a.To = "from "+line.Draw(t, "from"), "to "+line.Draw(t, "to")
		case Upload:
			a.Target, a.Text = line.Draw(t, "target"), word.Draw(t, "file")
		case SetValue:
			a.Target, a.Text = line.Draw(t, "target"), text.Draw(t, "text")
		case Finish:
			a.Text = text.Draw(t, "text")
		case Fail, GoogleSearch, VerifySuccess, Find:
			a.Text = word.Draw(t, "text")
		case Wait:
			a.Seconds = rapid.Float64Range(math.SmallestNonzeroFloat64, MaxWaitSeconds).Draw(t, "seconds")
		case Press:
			a.Text = rapid.SampledFrom([]string{"Enter", "Shift+Tab", "Control+a", "+", "Control++", "F12", "ß", "Alt+Shift+Meta+Home"}).Draw(t, "key")
		case Navigate:
			a.Text = "https://example.org/" + rapid.StringMatching(`[a-z0-9/?=&#@:"'-]{0,30}`).Draw(t, "path")
		}
		return a
	})
}

func TestAction_ValidPrintsAndParsesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := valid().Draw(t, "action")
		if err := a.Validate(); err != nil {
			t.Fatalf("%#v: %v", a, err)
		}
		got, err := Parse(a.String())
		if err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		if got != a {
			t.Fatalf("%s came back as %#v, want %#v", a, got, a)
		}
	})
}

func TestAction_OnOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if s := valid().Draw(t, "action").String(); strings.ContainsAny(s, "\n\r\u2028\u2029") {
			t.Fatalf("%q breaks the line", s)
		}
	})
}

func TestAction_Validate(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]Action{
		"no name":                     {},
		"an unknown name":             {Name: "dragon"},
		"a drag to itself":            {Name: Drag, Target: "1", To: "1"},
		"a drag to nowhere":           {Name: Drag, Target: "1"},
		"a second element on a click": {Name: Click, Target: "1", To: "2"},
		"a direction that is none":    {Name: Scroll, Text: "left"},
		"a direction as an element":   {Name: Scroll, Target: "up"},
		"nothing to type":             {Name: Type},
		"a file without a name":       {Name: Upload, Target: "1", Text: " "},
		"a text on a click":           {Name: Click, Target: "1", Text: "x"},
		"seconds on a click":          {Name: Click, Target: "1", Seconds: 1},
		"an element on finish":        {Name: Finish, Target: "1"},
		"a click on nothing":          {Name: Click},
		"a key in another spelling":   {Name: Press, Text: "enter"},
		"a wait that is no number":    {Name: Wait, Seconds: math.NaN()},
		"a wait without end":          {Name: Wait, Seconds: math.Inf(1)},
		"an id that is too long":      {Name: Click, Target: strings.Repeat("x", MaxTarget+1)},
		"a text that is not UTF-8":    {Name: Finish, Text: "\xff"},
		"an id that is not UTF-8":     {Name: Click, Target: "\xff"},
		"an address that is no URL":   {Name: Navigate, Text: "https://[::1"},
		"an address with just a port": {Name: Navigate, Text: "https://:80/"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			if err := a.Validate(); err == nil {
				t.Errorf("%#v was accepted", a)
			}
		})
	}
}

func TestAction_Kinds(t *testing.T) {
	t.Parallel()
	for _, f := range grammar {
		a := Action{Name: f.name}
		if got, want := a.EndsTask(), f.name == "finish" || f.name == "fail"; got != want {
			t.Errorf("%s ends the task: %v", f.name, got)
		}
		if got, want := a.OnServer(), f.name == "googleSearch" || f.name == "verifySuccess" || f.name == "find" || f.name == "more"; got != want {
			t.Errorf("%s runs on the server: %v", f.name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`click(14)`, `setValue("2", "Hello, \"world\"")`, `wait(0.5)`, `finish()`, `fail('why')`,
		`press("Control+a")`, `navigate("https://example.org")`, `click(14); click(15)`, "setValue(2,\"\\ud83d\\ude00\")",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		if err := a.Validate(); err != nil {
			t.Fatalf("Parse(%q) gave an invalid action: %v", s, err)
		}
		if b, err := Parse(a.String()); err != nil || b != a {
			t.Fatalf("Parse(%q) = %s, which parses as %s, %v", s, a, b, err)
		}
	})
}

func TestName_LooksOnly(t *testing.T) {
	t.Parallel()
	for name, want := range map[Name]bool{
		Wait: true, Scroll: true, Hover: true, GoogleSearch: true, VerifySuccess: true, Find: true, More: true,
		Click: false, SetValue: false, Press: false, Type: false, Drag: false, Upload: false, Navigate: false, GoBack: false,
		Finish: false, Fail: false, "": false, "unknown": false,
	} {
		if name.LooksOnly() != want {
			t.Errorf("%q: %v", name, !want)
		}
		if a := (Action{Name: name}); a.OnServer() && !name.LooksOnly() {
			t.Errorf("%q is done on the server, and nothing comes of it on the page", name)
		}
	}
}
