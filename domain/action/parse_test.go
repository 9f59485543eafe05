package action

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in    string
		want  Action
		print string
	}{
		"digits without quotes are an id":        {`click(223)`, Action{Name: Click, Target: "223"}, `click("223")`},
		"an id in double quotes":                 {`click("14")`, Action{Name: Click, Target: "14"}, `click("14")`},
		"an id in single quotes":                 {`click('14')`, Action{Name: Click, Target: "14"}, `click("14")`},
		"an id of a frame":                       {`click(f1_5)`, Action{Name: Click, Target: "f1_5"}, `click("f1_5")`},
		"an identifier as id":                    {`hover(save-button)`, Action{Name: Hover, Target: "save-button"}, `hover("save-button")`},
		"a quoted id is opaque":                  {`click("-1 (x)")`, Action{Name: Click, Target: "-1 (x)"}, `click("-1 (x)")`},
		"a comma in a text":                      {`setValue(2,"Hello, world")`, Action{Name: SetValue, Target: "2", Text: "Hello, world"}, `setValue("2", "Hello, world")`},
		"parentheses in a text":                  {`setValue(2,"f(x) = y")`, Action{Name: SetValue, Target: "2", Text: "f(x) = y"}, `setValue("2", "f(x) = y")`},
		"an escaped line break":                  {`setValue(2,"line1\nline2")`, Action{Name: SetValue, Target: "2", Text: "line1\nline2"}, `setValue("2", "line1\nline2")`},
		"a raw line break":                       {"setValue(2,\"line1\nline2\")", Action{Name: SetValue, Target: "2", Text: "line1\nline2"}, `setValue("2", "line1\nline2")`},
		"escaped quotes lose their backslashes":  {`setValue(2,"say \"hi\"")`, Action{Name: SetValue, Target: "2", Text: `say "hi"`}, `setValue("2", "say \"hi\"")`},
		"an apostrophe in double quotes":         {`setValue(2,"O'Brien")`, Action{Name: SetValue, Target: "2", Text: "O'Brien"}, `setValue("2", "O'Brien")`},
		"an escaped apostrophe in single quotes": {`setValue(2,'O\'Brien')`, Action{Name: SetValue, Target: "2", Text: "O'Brien"}, `setValue("2", "O'Brien")`},
		"a closing tag in a text":                {`setValue(2,"</Action>")`, Action{Name: SetValue, Target: "2", Text: "</Action>"}, `setValue("2", "</Action>")`},
		"typographic quotes inside a text":       {`setValue(2,"“hi”")`, Action{Name: SetValue, Target: "2", Text: "“hi”"}, `setValue("2", "“hi”")`},
		"other scripts and emoji":                {`setValue(2,"Łódź 東京 👩‍⚕️")`, Action{Name: SetValue, Target: "2", Text: "Łódź 東京 👩‍⚕️"}, `setValue("2", "Łódź 東京 👩‍⚕️")`},
		"a unicode escape":                       {`setValue(2,"\u00e9")`, Action{Name: SetValue, Target: "2", Text: "é"}, `setValue("2", "é")`},
		"a surrogate pair is one character":      {`setValue(2,"\uD83D\uDE00")`, Action{Name: SetValue, Target: "2", Text: "😀"}, `setValue("2", "😀")`},
		"a line separator is printed escaped":    {`setValue(2,"a\u2028b")`, Action{Name: SetValue, Target: "2", Text: "a\u2028b"}, `setValue("2", "a\u2028b")`},
		"a backslash":                            {`setValue(2,"C:\\temp")`, Action{Name: SetValue, Target: "2", Text: `C:\temp`}, `setValue("2", "C:\\temp")`},
		"an empty value clears the field":        {`setValue(2,"")`, Action{Name: SetValue, Target: "2"}, `setValue("2", "")`},
		"a text that looks like an action":       {`setValue(2,"click(1); finish()")`, Action{Name: SetValue, Target: "2", Text: "click(1); finish()"}, `setValue("2", "click(1); finish()")`},
		"space before the parenthesis":           {`click (14)`, Action{Name: Click, Target: "14"}, `click("14")`},
		"space and line breaks everywhere":       {" setValue (\n 2 ,\t\"a\" )\n", Action{Name: SetValue, Target: "2", Text: "a"}, `setValue("2", "a")`},
		"the case of the name does not matter":   {`Click(14)`, Action{Name: Click, Target: "14"}, `click("14")`},
		"setvalue in lower case":                 {`setvalue(1,"a")`, Action{Name: SetValue, Target: "1", Text: "a"}, `setValue("1", "a")`},
		"finish without a message":               {`finish()`, Action{Name: Finish}, `finish()`},
		"finish with an empty message is finish": {`finish("")`, Action{Name: Finish}, `finish()`},
		"finish with a message":                  {`finish("done")`, Action{Name: Finish, Text: "done"}, `finish("done")`},
		"fail with a reason":                     {`fail("why")`, Action{Name: Fail, Text: "why"}, `fail("why")`},
		"scroll the page":                        {`scroll()`, Action{Name: Scroll}, `scroll()`},
		"scroll an element":                      {`scroll(7)`, Action{Name: Scroll, Target: "7"}, `scroll("7")`},
		"scroll up":                              {`scroll("up")`, Action{Name: Scroll, Text: "up"}, `scroll("up")`},
		"scroll up in other case, bare":          {`scroll(UP)`, Action{Name: Scroll, Text: "up"}, `scroll("up")`},
		"scroll in a region":                     {`scroll(7, "down")`, Action{Name: Scroll, Target: "7", Text: "down"}, `scroll("7", "down")`},
		"type into the focus":                    {`type("Jas")`, Action{Name: Type, Text: "Jas"}, `type("Jas")`},
		"drag from one element to another":       {`drag(7, "8")`, Action{Name: Drag, Target: "7", To: "8"}, `drag("7", "8")`},
		"upload a file":                          {`upload(7, "cv.pdf")`, Action{Name: Upload, Target: "7", Text: "cv.pdf"}, `upload("7", "cv.pdf")`},
		"several options, one a line":            {"setValue(7, \"A\nB\")", Action{Name: SetValue, Target: "7", Text: "A\nB"}, `setValue("7", "A\nB")`},
		"wait for half a second":                 {`wait(0.5)`, Action{Name: Wait, Seconds: 0.5}, `wait(0.5)`},
		"wait in quotes":                         {`wait("2")`, Action{Name: Wait, Seconds: 2}, `wait(2)`},
		"wait for the longest time":              {`wait(60)`, Action{Name: Wait, Seconds: 60}, `wait(60)`},
		"a named key":                            {`press("Enter")`, Action{Name: Press, Text: "Enter"}, `press("Enter")`},
		"a key in another spelling":              {`press("esc")`, Action{Name: Press, Text: "Escape"}, `press("Escape")`},
		"a key with modifiers":                   {`press("ctrl+shift+k")`, Action{Name: Press, Text: "Control+Shift+k"}, `press("Control+Shift+k")`},
		"the plus key":                           {`press("Control++")`, Action{Name: Press, Text: "Control++"}, `press("Control++")`},
		"one character as a key":                 {`press("é")`, Action{Name: Press, Text: "é"}, `press("é")`},
		"an https address":                       {`navigate("https://example.org/a?b=c#d")`, Action{Name: Navigate, Text: "https://example.org/a?b=c#d"}, `navigate("https://example.org/a?b=c#d")`},
		"an address with a port":                 {`navigate("http://localhost:8080")`, Action{Name: Navigate, Text: "http://localhost:8080"}, `navigate("http://localhost:8080")`},
		"an at sign in a query is no credential": {`navigate("https://example.org/?q=a@b")`, Action{Name: Navigate, Text: "https://example.org/?q=a@b"}, `navigate("https://example.org/?q=a@b")`},
		"going back":                             {`goBack()`, Action{Name: GoBack}, `goBack()`},
		"a look for a text":                      {`find("Order 12")`, Action{Name: Find, Text: "Order 12"}, `find("Order 12")`},
		"the rest of the page":                   {`more()`, Action{Name: More}, `more()`},
		"a web search":                           {`googleSearch("go 1.26")`, Action{Name: GoogleSearch, Text: "go 1.26"}, `googleSearch("go 1.26")`},
		"a check":                                {`verifySuccess("a row \"Jas\"")`, Action{Name: VerifySuccess, Text: `a row "Jas"`}, `verifySuccess("a row \"Jas\"")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(tc.in)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tc.in, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tc.in, diff)
			}
			if got.String() != tc.print {
				t.Errorf("printed %s, want %s", got, tc.print)
			}
		})
	}
}

func TestParse_Refused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxText+1)
	for name, tc := range map[string]struct {
		in   string
		says string // part of the message
		at   int
	}{
		"nothing":                               {``, "action name is expected", 0},
		"prose":                                 {`I will click the button`, `"I" is no action`, 0},
		"an unknown action":                     {`dragon(1)`, `"dragon" is no action`, 0},
		"a longer word is another word":         {`clicks(1)`, `"clicks" is no action`, 0},
		"no parentheses":                        {`click`, "'(' is expected", 5},
		"no closing parenthesis":                {`click(14`, "',' or ')' is expected", 8},
		"a second action":                       {`click(14); click(15)`, "more after the action", 9},
		"a trailing semicolon":                  {`click(14);`, "more after the action", 9},
		"a closing tag after it":                {`click(14)</Action>`, "more after the action", 9},
		"two actions on two lines":              {"click(14)\nclick(15)", "more after the action", 10},
		"a fraction as id":                      {`click(3.5)`, `"3.5" is no element id`, 6},
		"a negative id":                         {`click(-1)`, `"-1" is no element id`, 6},
		"an id with an exponent":                {`click(1e3)`, `"1e3" is no element id`, 6},
		"a hexadecimal id":                      {`click(0x10)`, `"0x10" is no element id`, 6},
		"a missing id":                          {`click()`, "takes 1 argument, not 0", 5},
		"an empty id":                           {`click("")`, "id is empty", 6},
		"an empty id where it is optional":      {`scroll("")`, "id is empty", 7},
		"too many arguments":                    {`setValue(1, "a", "b")`, "takes 2 arguments, not 3", 8},
		"too few arguments":                     {`setValue(1)`, "takes 2 arguments, not 1", 8},
		"an argument too many for none":         {`goBack(1)`, "takes no argument", 6},
		"a trailing comma":                      {`click(14,)`, "argument is expected", 9},
		"an unquoted text":                      {`finish(done)`, "in quotes", 7},
		"an unquoted value":                     {`setValue(2, Jas)`, "in quotes", 12},
		"typographic quotes around a text":      {`setValue(2,“hi”)`, "in quotes", 11},
		"an apostrophe ends single quotes":      {`setValue(2,'O'Brien')`, "',' or ')' is expected", 14},
		"a text without an end":                 {`setValue(2,"a)`, "has no end", 11},
		"an unknown escape":                     {`setValue(2,"\q")`, "unknown escape", 12},
		"a short unicode escape":                {`setValue(2,"\u12")`, "four hex digits", 12},
		"half a surrogate pair":                 {`setValue(2,"\ud800")`, "half a surrogate pair", 12},
		"a low surrogate first":                 {`setValue(2,"\udc00\ud800")`, "half a surrogate pair", 12},
		"an escape at the end":                  {`setValue(2,"\`, "inside an escape", 12},
		"invalid UTF-8":                         {"setValue(2,\"\xff\")", "not valid UTF-8", 12},
		"a null character":                      {`setValue(2,"\u0000")`, "control characters", 0},
		"an escape character":                   {"setValue(2,\"\x1b[0m\")", "control characters", 0},
		"a control character in an id":          {`click("a\n")`, "control characters", 0},
		"too long a text":                       {`setValue(2,"` + long + `")`, "longer than 10000", 0},
		"fail without a reason":                 {`fail()`, "takes 1 argument", 4},
		"fail with a blank reason":              {`fail(" ")`, "needs a text", 0},
		"a search for nothing":                  {`googleSearch("")`, "needs a text", 0},
		"no wait at all":                        {`wait(0)`, "more than 0", 0},
		"too long a wait":                       {`wait(60.5)`, "at most 60", 0},
		"a negative wait":                       {`wait(-1)`, "no number of seconds", 5},
		"an endless wait":                       {`wait(Inf)`, "no number of seconds", 5},
		"a wait beyond all numbers":             {`wait(` + strings.Repeat("9", 400) + `)`, "at most 60", 0},
		"a wait with an exponent":               {`wait(1e1)`, "no number of seconds", 5},
		"a key that does not exist":             {`press("Launch")`, "is no key", 0},
		"no key":                                {`press("")`, "is no key", 0},
		"a modifier alone":                      {`press("Control")`, "is no key", 0},
		"a modifier twice":                      {`press("Control+ctrl+a")`, "is no key", 0},
		"several characters as a key":           {`press("ab")`, "is no key", 0},
		"a script address":                      {`navigate("javascript:alert(1)")`, "http and https only", 0},
		"a data address":                        {`navigate("data:text/html,x")`, "http and https only", 0},
		"a file":                                {`navigate("file:///etc/passwd")`, "http and https only", 0},
		"a blob":                                {`navigate("blob:https://example.org/1")`, "http and https only", 0},
		"a relative address":                    {`navigate("/patients")`, "http and https only", 0},
		"an address without a host":             {`navigate("https:/example.org")`, "no host", 0},
		"credentials in an address":             {`navigate("https://example.com:password@malicious.com")`, "credentials", 0},
		"escaped credentials":                   {`navigate("https://example.com%20@malicious.com")`, "credentials", 0},
		"an escaped colon before the at sign":   {`navigate("https://example.com%3A@malicious.com")`, "credentials", 0},
		"a backslash that browsers read as '/'": {`navigate("https://good.org\\@evil.org")`, "backslashes", 0},
		"a line break in an address":            {`navigate("https://a\nb.org")`, "control characters", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(tc.in)
			var e *domain.Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%.80q) = %v, %v; want a domain error", tc.in, got, err)
			}
			if e.Kind != domain.Invalid || e.Code != domain.CodeActionFormat {
				t.Errorf("kind %v, code %s", e.Kind, e.Code)
			}
			if !strings.Contains(e.Msg, tc.says) {
				t.Errorf("message %q does not say %q", e.Msg, tc.says)
			}
			if e.Details["offset"] != tc.at {
				t.Errorf("offset %v, want %d", e.Details["offset"], tc.at)
			}
			if got != (Action{}) {
				t.Errorf("an action beside the error: %v", got)
			}
		})
	}
}

func TestParse_InputIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := Parse("click(" + strings.Repeat(" ", maxInput) + "1)"); err == nil {
		t.Fatal("an input without end was read")
	}
	escaped := `setValue("1", "` + strings.Repeat(`\ud83d\ude00`, MaxText) + `")`
	if _, err := Parse(escaped); err != nil {
		t.Fatalf("the longest text, fully escaped: %v", err)
	}
}
