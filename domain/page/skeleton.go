package page

const (
	// maxSkeletonBytes bounds a skeleton as JSON. It is stored in an event of at most
	// a megabyte, sealed and in base64. A thousand elements of a real page are about
	// 150 kB, hostile names of quotes and brackets six times that.
	maxSkeletonBytes = 300 << 10
	// maxSkeletonText is how much of a name or value is compared (characters).
	maxSkeletonText = 80
	// maxSkeletonAlerts and maxAlertText bound the messages of a page.
	maxSkeletonAlerts = 20
	maxAlertText      = 300
)

// Before returns what has to be remembered of the page an action is decided on.
func (p Page) Before() Before {
	lines, _ := p.lines()
	return Before{
		URL:           p.URL,
		DOMHash:       p.DOMHash,
		MeaningHash:   p.MeaningHash,
		ActiveElement: p.ActiveElement,
		Busy:          p.Busy,
		Skeleton:      p.Skeleton(),
		Lines:         keep(lines),
	}
}

// Skeleton returns the part of the page that is compared: visible elements in
// document order and the alerts. It is bounded in number and bytes (Cut) and holds no
// secret.
func (p Page) Skeleton() Skeleton {
	s := Skeleton{Elements: make([]Descriptor, 0, min(len(p.Elements), MaxSkeleton)), Partial: p.Partial()}
	size := 0
	for _, a := range p.Alerts {
		if len(s.Alerts) == maxSkeletonAlerts {
			break
		}
		a.Text = Cut(a.Text, maxAlertText)
		size += jsonSize(a.Text)
		s.Alerts = append(s.Alerts, a)
	}
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.State.Hidden {
			continue
		}
		n := len(s.Elements)
		if n == MaxSkeleton {
			s.Cut = true
			break
		}
		s.Elements = append(s.Elements, descriptor(e))
		if size += s.Elements[n].size(); size > maxSkeletonBytes {
			s.Elements, s.Cut = s.Elements[:n:n], true
			break
		}
	}
	return s
}

func descriptor(e *Element) Descriptor {
	d := Descriptor{
		Key:      e.Key,
		ID:       e.ID,
		Role:     e.Role,
		Name:     Cut(e.Name, maxSkeletonText),
		Value:    Cut(e.Value, maxSkeletonText),
		Checked:  e.State.Checked,
		Expanded: e.State.Expanded,
		Disabled: e.State.Disabled,
		Selected: e.State.Selected,
		Invalid:  e.State.Invalid,
		Href:     Cut(e.Href, maxSkeletonText),
		Group:    Cut(e.Group, maxKeyGroup),
		Popup:    e.State.HasPopup,
		Occluded: e.State.Occluded,
		OnHover:  e.State.OnHover,
		Marks:    e.State.Marks,
	}
	if e.XY != nil {
		d.At = [2]int{int(e.XY.X), int(e.XY.Y)}
	}
	if e.State.Secret {
		d.Value, d.Filled = "", e.State.Filled
	}
	return d
}

// size is an upper bound of the descriptor's JSON; 150 is for keys, flags, place and
// punctuation.
func (d *Descriptor) size() int {
	return 150 + jsonSize(d.Key) + jsonSize(d.ID) + jsonSize(d.Role) + jsonSize(d.Name) + jsonSize(d.Value) + jsonSize(d.Href) + jsonSize(d.Group) + jsonSize(d.Marks)
}

// jsonSize is an upper bound of a clean text's JSON, without quotes.
func jsonSize(s string) int {
	n := len(s)
	for i := range len(s) {
		n += int(escape[s[i]])
	}
	return n
}

// escape is how many bytes longer a byte of a text may be in JSON.
var escape = func() (more [256]uint8) {
	for c := range more {
		switch {
		case c < ' ' || c == '<' || c == '>' || c == '&':
			more[c] = 5 // \u003c
		case c == '"' || c == '\\':
			more[c] = 1
		}
	}
	return more
}()
