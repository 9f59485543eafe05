package page

// Before is the page an action was decided on, as far as its verdict needs it (spec:
// beforeState).
type Before struct {
	URL           string   `json:"url"`
	DOMHash       string   `json:"domHash"`
	MeaningHash   string   `json:"meaningHash"`
	ActiveElement string   `json:"activeElement,omitempty"`
	Busy          bool     `json:"busy,omitempty"`
	Skeleton      Skeleton `json:"skeleton"`
	// Lines are for finding new text; empty if the page was read without its text.
	Lines Lines `json:"lines,omitempty"`
}

// Missing reports that the page before is not known, because it was not recorded or
// was erased.
func (b Before) Missing() bool { return b.URL == "" && b.DOMHash == "" && b.MeaningHash == "" }

// IsPartial reports that the client had left elements out of the page before; nil is not
// known to be.
func (b *Before) IsPartial() bool { return b != nil && b.Skeleton.Partial }

// Skeleton is the part of a page that is compared: one entry per interactive element,
// by its stable key and in document order, and the alerts. It is bounded
// (MaxSkeleton) and has no secret values.
type Skeleton struct {
	Elements []Descriptor `json:"elements,omitempty"`
	Alerts   []Alert      `json:"alerts,omitempty"`
	// Cut reports that the page had more than MaxSkeleton elements.
	Cut bool `json:"cut,omitempty"`
	// Partial: the client left elements out.
	Partial bool `json:"partial,omitempty"`
}

// MaxSkeleton bounds the elements of a skeleton: the largest of 130 real articles had
// 3,874, p90 268; past a thousand a person would not follow a diff.
const MaxSkeleton = 1000

// Descriptor is an element of a skeleton. Texts are cut to 80 characters.
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
	// Group is cut to 30 characters. Popup: it opens a menu or list.
	Group string `json:"g,omitempty"`
	Popup bool   `json:"p,omitempty"`
	// Occluded: something lies over it.
	Occluded bool `json:"o,omitempty"`
	// OnHover: it is drawn only while the mouse is over it.
	OnHover bool `json:"oh,omitempty"`
	// Filled: it holds a secret.
	Filled bool `json:"f,omitempty"`
	// Marks are the words of its class that say its state.
	Marks string `json:"m,omitempty"`
	// At is the centre in CSS pixels of the viewport, [0 0] where the client did
	// not say.
	At [2]int `json:"at,omitzero"`
}

// ObservationKind classifies observations.
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

// Observation is one line of what changed between two pages. Text is the line in the
// specification's words; the other fields are the same for programs.
type Observation struct {
	Kind ObservationKind
	Text string
	// Key is the element's; Attr, From and To are of a change; Alert is of an alert.
	Key, Attr, From, To string
	Alert               AlertKind
	// Line is the index of a new line among the page's lines of text (TextLines).
	Line int
}
