package instruction

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints a program, a step a line:
//
//	enter "Agustina" -> text-field
//	click -> "Submit"
//
// What was said without quotes is printed like what was said with them. A hole is
// "?target" and its words.
func (p Program) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// String prints a step.
func (s Step) String() string {
	var out []string
	switch s.Act {
	case Unknown:
	case Command:
		out = append(out, "command "+strconv.Quote(s.Verb))
	default:
		out = append(out, string(s.Act))
	}
	if !s.Value.IsZero() {
		out = append(out, s.Value.String())
	}
	if !s.Target.IsZero() {
		out = append(out, "-> "+s.Target.String())
	}
	if !s.Place.IsZero() {
		out = append(out, "to "+s.Place.String())
	}
	if len(s.With) > 0 {
		var list []string
		for _, v := range s.With {
			list = append(list, v.String())
		}
		out = append(out, "with "+strings.Join(list, ", "))
	}
	if s.How != nil {
		out = append(out, "by {"+s.How.String()+"}")
	}
	if s.When.Word != "" {
		out = append(out, s.When.String())
	}
	for _, h := range s.Holes {
		out = append(out, fmt.Sprintf("?%s %q", h.Of, h.Text))
	}
	return strings.Join(out, " ")
}

// String prints a reference: kind, name, then all that narrows it.
func (r Reference) String() string {
	var out []string
	if r.Quantity != "" {
		out = append(out, string(r.Quantity))
	}
	if r.Number != 0 {
		out = append(out, strconv.Itoa(r.Number))
	}
	if r.Position != 0 {
		out = append(out, "#"+strconv.Itoa(r.Position))
	}
	if r.Kind != "" {
		kind := r.Kind
		if r.Kind == Thing {
			kind += "(" + r.Noun + ")"
		}
		if r.Or != "" {
			kind += "|" + r.Or
		}
		if r.Plural {
			kind += "+"
		}
		out = append(out, kind)
	}
	if r.Name.Text != "" || r.Name.Quoted {
		out = append(out, r.Name.String())
	}
	for _, a := range r.With {
		out = append(out, a.Property+"="+a.Value)
	}
	for _, w := range r.Where {
		out = append(out, strings.TrimSpace(w.Said+" "+w.Is)+"("+w.To.String()+")")
	}
	if len(r.Except) > 0 {
		var list []string
		for _, e := range r.Except {
			list = append(list, e.String())
		}
		out = append(out, "except("+strings.Join(list, ", ")+")")
	}
	return strings.Join(out, " ")
}

// String prints a literal with its form.
func (l Literal) String() string {
	if l.Form == Text {
		return strconv.Quote(l.Text)
	}
	return string(l.Form) + strconv.Quote(l.Text)
}

// String prints a value.
func (v Value) String() string {
	out := v.Literal.String()
	if v.From != nil {
		out = v.Read + "-of(" + v.From.String() + ")"
	}
	if v.Label != "" {
		out = "[" + v.Label + "]=" + out
	}
	if v.Unit != "" {
		out += " unit=" + v.Unit
	}
	if v.Case != "" {
		out += " case=" + v.Case
	}
	return out
}

// String prints a condition.
func (c Condition) String() string {
	out := []string{c.Word}
	if c.Is == "" {
		out = append(out, "?")
	} else {
		out = append(out, c.Is)
	}
	if !c.About.IsZero() {
		out = append(out, "("+c.About.String()+")")
	}
	return strings.Join(out, " ")
}
