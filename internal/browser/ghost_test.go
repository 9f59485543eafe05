package browser

import "testing"

func TestBestGhost(t *testing.T) {
	t.Parallel()
	at := func(id, role, name string, x float64) rawNode {
		return rawNode{ID: id, Role: role, Name: name, Box: [4]float64{x, 0, 20, 20}}
	}
	save := at("1", "button", "Save", 100)
	tests := map[string]struct {
		was   rawNode
		nodes []rawNode
		want  string // "" for none
	}{
		"role and name are enough":                 {save, []rawNode{at("2", "link", "Other", 100), at("3", "button", "Save", 900)}, "3"},
		"name and place are enough":                {save, []rawNode{at("2", "link", "Save", 140)}, "2"},
		"a name alone is not":                      {save, []rawNode{at("2", "link", "Save", 900)}, ""},
		"another name never is":                    {save, []rawNode{at("2", "button", "Delete", 100)}, ""},
		"no name is another name":                  {save, []rawNode{at("2", "button", "", 100)}, ""},
		"the nameless are known by role and place": {at("1", "textbox", "", 100), []rawNode{at("2", "textbox", "", 120)}, "2"},
		"place decides between two":                {save, []rawNode{at("2", "button", "Save", 900), at("3", "button", "Save", 110)}, "3"},
		"two alike are not guessed":                {save, []rawNode{at("2", "button", "Save", 90), at("3", "button", "Save", 110)}, ""},
		"three alike are not guessed":              {save, []rawNode{at("2", "button", "Save", 900), at("3", "button", "Save", 800), at("4", "button", "Save", 700)}, ""},
		"the better of three after two alike":      {save, []rawNode{at("2", "button", "Save", 900), at("3", "button", "Save", 800), at("4", "button", "Save", 100)}, "4"},
		"spacing is no difference":                 {save, []rawNode{at("2", "button", " Save\u00a0", 100)}, "2"},
		"nothing is left":                          {save, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := bestGhost(tt.was, tt.nodes)
			if ok != (tt.want != "") || ok && got != tt.want {
				t.Errorf("got %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}
