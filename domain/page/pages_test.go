package page

// reading is a page of these elements and alerts as a reader would give it.
func reading(url string, es []Element, alerts ...Alert) Page {
	p := Page{URL: url, Elements: es, Alerts: alerts}
	AssignKeys(p.Elements)
	p.MeaningHash = MeaningHash(p)
	p.DOMHash = "raw " + p.MeaningHash
	return p
}

func button(id, name string) Element { return Element{ID: id, Role: "button", Name: name} }

func field(id, name, value string) Element {
	return Element{ID: id, Role: "textbox", Name: name, Value: value}
}

func texts(obs []Observation) []string {
	var list []string
	for _, o := range obs {
		list = append(list, o.Text)
	}
	return list
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }
