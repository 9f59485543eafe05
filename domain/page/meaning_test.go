package page

import "testing"

func TestMeaningHash(t *testing.T) {
	t.Parallel()
	base := func() Page {
		return reading("https://shop.test/cart?session=1", []Element{
			button("1", "Order"), field("2", "Email", "a@b.c"),
			{ID: "3", Role: "checkbox", Name: "Gift", State: State{Checked: "false"}},
			{ID: "4", Role: "button", Name: "Hidden", State: State{Hidden: true}},
			{ID: "5", Role: "link", Name: "Buy a car", Group: "Advertisement"},
			{ID: "6", Role: "slider", Name: "Seek", Value: "45"},
			{ID: "7", Role: "slider", Name: "Volume", Value: "45"},
			{ID: "8", Role: "progressbar", Name: "Upload", Value: "45"},
			{ID: "9", Role: "button", Name: "Slide 1 of 5", Group: "Carousel"},
		}, Alert{AlertOther, "Offer ends in 4:59"})
	}
	want := base().MeaningHash
	for name, c := range map[string]struct {
		change func(*Page)
		same   bool
	}{
		"a new raw document":             {func(p *Page) { p.DOMHash = "other" }, true},
		"new ids":                        {func(p *Page) { p.Elements[0].ID = "99" }, true},
		"another query":                  {func(p *Page) { p.URL = "https://shop.test/cart?session=2" }, true},
		"a countdown that went on":       {func(p *Page) { p.Alerts[0].Text = "Offer ends in 4:58" }, true},
		"a hidden element renamed":       {func(p *Page) { p.Elements[3].Name = "Other" }, true},
		"focus":                          {func(p *Page) { p.Elements[0].State.Focused = true }, true},
		"an element under another":       {func(p *Page) { p.Elements[0].State.Occluded = true }, true},
		"another advertisement":          {func(p *Page) { p.Elements[4].Name = "Buy a boat" }, true},
		"no advertisement":               {func(p *Page) { p.Elements = append(p.Elements[:4], p.Elements[5:]...) }, true},
		"a film that plays on":           {func(p *Page) { p.Elements[5].Value = "46" }, true},
		"an upload that goes on":         {func(p *Page) { p.Elements[7].Value = "46" }, true},
		"a session in the path":          {func(p *Page) { p.URL = "https://shop.test/cart;jsessionid=1A2B" }, true},
		"another parameter of the path":  {func(p *Page) { p.URL = "https://shop.test/cart;id=2" }, false},
		"another volume":                 {func(p *Page) { p.Elements[6].Value = "46" }, false},
		"another slide":                  {func(p *Page) { p.Elements[8].Name = "Slide 2 of 5" }, false},
		"another path":                   {func(p *Page) { p.URL = "https://shop.test/done" }, false},
		"another view by fragment":       {func(p *Page) { p.URL = "https://shop.test/cart#/step2" }, false},
		"a changed name":                 {func(p *Page) { p.Elements[0].Name = "Ordered" }, false},
		"a changed value":                {func(p *Page) { p.Elements[1].Value = "" }, false},
		"a ticked box":                   {func(p *Page) { p.Elements[2].State.Checked = "true" }, false},
		"a disabled button":              {func(p *Page) { p.Elements[0].State.Disabled = true }, false},
		"an element shown":               {func(p *Page) { p.Elements[3].State.Hidden = false }, false},
		"an element gone":                {func(p *Page) { p.Elements = p.Elements[1:] }, false},
		"the same button in another row": {func(p *Page) { p.Elements[0].Group = "Pear" }, false},
		"another step of a wizard":       {func(p *Page) { p.Headings = []string{"Payment"} }, false},
		"a new message":                  {func(p *Page) { p.Alerts = append(p.Alerts, Alert{AlertError, "No"}) }, false},
		"a value moved to another name":  {func(p *Page) { p.Elements[1].Name, p.Elements[1].Value = "Emaila", "@b.c" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := base()
			c.change(&p)
			if got := MeaningHash(p) == want; got != c.same {
				t.Errorf("same meaning: %t, want %t", got, c.same)
			}
		})
	}
}

func TestMeaningHash_doesNotDependOnSecrets(t *testing.T) {
	t.Parallel()
	with := func(v string) string {
		return reading("https://a.test/", []Element{{ID: "1", Role: "textbox", Name: "Password", Value: v, State: State{Secret: true}}}).MeaningHash
	}
	if with("hunter2") != with("") {
		t.Error("the hash tells one password from another")
	}
}
