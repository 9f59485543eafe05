// Package action is the language in which the agent tells the client what to
// do: click("14"), setValue("14", "Jas"), finish("done"). It parses, prints
// and validates; it does not know pages.
//
// String is canonical (ids and texts quoted, one space after the comma) and
// Parse(a.String()) is a for every valid a. Element ids are opaque strings:
// click(14) and click("14") are the same action. finish() and finish("") are
// the same too; fail needs a reason.
package action

// Name of an action. The strings are the words of the language.
type Name string

// The whole language (small print of the HTTP contract).
const (
	Click         Name = "click"         // click("14")
	SetValue      Name = "setValue"      // setValue("14", "Jas"); on a select: the option by text or value, several by lines
	Type          Name = "type"          // type("Jas"), into what has the focus
	Press         Name = "press"         // press("Enter"), press("Control+a")
	Hover         Name = "hover"         // hover("14")
	Scroll        Name = "scroll"        // scroll(), scroll("14"), scroll("up"), scroll("14", "down")
	Drag          Name = "drag"          // drag("14", "20")
	Upload        Name = "upload"        // upload("14", "report.pdf"), a file the client has
	Wait          Name = "wait"          // wait(0.5), seconds
	Navigate      Name = "navigate"      // navigate("https://…")
	GoBack        Name = "goBack"        // goBack()
	GoogleSearch  Name = "googleSearch"  // googleSearch("query"), runs on the server
	Find          Name = "find"          // find("text"): where this page has it, runs on the server
	More          Name = "more"          // more(): what of this page was not shown yet, runs on the server
	VerifySuccess Name = "verifySuccess" // verifySuccess("what should be true"), runs on the server
	Finish        Name = "finish"        // finish() or finish("message for the user")
	Fail          Name = "fail"          // fail("reason for the user")
)

// Action is one instruction. Which fields count depends on Name: Target is an
// element id (click, setValue, hover, scroll, drag, upload), To the id of the element
// to drag to, Text the value, key, URL, query, direction, name of a file or message,
// Seconds the length of a wait.
type Action struct {
	Name    Name
	Target  string
	To      string
	Text    string
	Seconds float64
}

// Directions of scroll. Without one an element is scrolled into view, and the page or
// a region down.
const (
	Up   = "up"
	Down = "down"
)

// isDirection reports whether a text is a direction of scroll, and therefore no id of
// an element to scroll.
func isDirection(s string) bool { return s == Up || s == Down }

// EndsTask reports whether the action is finish or fail.
func (a Action) EndsTask() bool { return a.Name == Finish || a.Name == Fail }

// LooksOnly reports whether an action changes nothing a verdict could be about:
// waiting, scrolling, hovering, and actions of the server. It leaves the action
// before it under judgement.
func (n Name) LooksOnly() bool {
	switch n {
	case Wait, Scroll, Hover, GoogleSearch, VerifySuccess, Find, More:
		return true
	}
	return false
}

// OnServer reports whether the server runs the action, and the client nothing.
func (a Action) OnServer() bool {
	return a.Name == GoogleSearch || a.Name == VerifySuccess || a.LooksUp()
}

// LooksUp reports whether the action asks for more of the page that the server holds.
// It is answered within the turn and is never a step.
func (a Action) LooksUp() bool { return a.Name == Find || a.Name == More }
