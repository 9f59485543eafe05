package page

// Before is the page an action was decided on, as far as the verdict on that
// action needs it (spec: beforeState).
type Before struct {
	URL           string   `json:"url"`
	DOMHash       string   `json:"domHash"`
	MeaningHash   string   `json:"meaningHash"`
	ActiveElement string   `json:"activeElement,omitempty"`
	Busy          bool     `json:"busy,omitempty"`
	Skeleton      Skeleton `json:"skeleton"`
	// Lines tell new text from old; empty where the page was read without its text.
	Lines Lines `json:"lines,omitempty"`
}

// Missing reports that nothing is known of the page before: an action on record
// without it, or one whose text was erased. There is nothing to compare with.
func (b Before) Missing() bool { return b.URL == "" && b.DOMHash == "" && b.MeaningHash == "" }

// Skeleton is the part of a page that is compared: one entry per interactive
// element, by its stable key and in document order, and the alerts. It is bounded (MaxSkeleton), and
// secret values are not in it.
type Skeleton struct {
	Elements []Descriptor `json:"elements,omitempty"`
	Alerts   []Alert      `json:"alerts,omitempty"`
	// Cut says that the page had more than MaxSkeleton elements.
	Cut bool `json:"cut,omitempty"`
}

// MaxSkeleton is how many elements a skeleton keeps: the largest of 130 real
// articles had 3,874, p90 268; past a thousand a diff says nothing a person
// would follow.
const MaxSkeleton = 1000

// Descriptor is one element of a skeleton. Texts are cut to 80 characters.
type Descriptor struct {
	Key      string `json:"k"`
	ID       string `json:"i,omitempty"`
	Role     string `json:"r"`
	Name     string `json:"n,omitempty"`
	Value    string `json:"v,omitempty"`
	Checked  string `json:"c,omitempty"`
	Expanded string `json:"x,omitempty"`
	Disabled bool   `json:"d,omitempty"`
	Selected bool   `json:"s,omitempty"`
	Invalid  bool   `json:"e,omitempty"`
	Href     string `json:"h,omitempty"`
	// Group is cut to 30 characters. Popup says that it opens a menu or list.
	Group string `json:"g,omitempty"`
	Popup bool   `json:"p,omitempty"`
	// Occluded lies under something else.
	Occluded bool `json:"o,omitempty"`
	// At is the centre in CSS pixels of the viewport, [0 0] where the client did
	// not say.
	At [2]int `json:"at,omitzero"`
}

// ObservationKind sorts observations for the rules that read them.
type ObservationKind string

// Kinds of observation.
const (
	URLChangedTo    ObservationKind = "url"
	URLSame         ObservationKind = "url_same"
	ElementAppeared ObservationKind = "appeared"
	ElementGone     ObservationKind = "gone"
	ElementChanged  ObservationKind = "changed"
	TextAppeared    ObservationKind = "text_appeared"
	AlertAppeared   ObservationKind = "alert"
	AlertGone       ObservationKind = "alert_gone"
	ContentChanged  ObservationKind = "content"
	ContentSame     ObservationKind = "content_same"
	FocusMoved      ObservationKind = "focus"
	Witnessed       ObservationKind = "witness"
	Reported        ObservationKind = "reported"
)

// Observation is one line of what changed between the before state and the
// page now. Text is the line in the words of the specification; the other
// fields say the same to a program.
type Observation struct {
	Kind ObservationKind
	Text string
	// Key of the element; Attr, From, To of a change; Alert of an alert.
	Key, Attr, From, To string
	Alert               AlertKind
	// Line is the index of a new line among the page's lines of text (TextLines).
	Line int
}
