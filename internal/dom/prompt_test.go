package dom

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
)

// Of real pages the heaviest has 1.6 MB of HTML and the busiest 3,874
// interactive elements; the portal has both.
const (
	portalBytes    = 1_630_000
	portalElements = 3_874
)

// portal is a front page as they are: navigation, sections of teasers with
// headlines of few words, the same "Read more" under each, comments with the
// same three controls, and more script than markup.
func portal() string {
	r := rand.New(rand.NewPCG(3, 874))
	nouns := strings.Fields("council river bridge budget school harbour museum orchestra election forest railway hospital market island festival stadium winter library theatre glacier")
	verbs := strings.Fields("opens closes delays restores doubles questions wins loses defends rebuilds")
	title := func() string {
		n := func() string { return nouns[r.IntN(len(nouns))] }
		return fmt.Sprintf("%s %s %s after %s %d", n(), verbs[r.IntN(len(verbs))], n(), n(), r.IntN(1_000))
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>The Daily Portal</title></head><body><form role=search><input name=q data-llm-id=q placeholder='Search the portal'><button data-llm-id=go>Search</button></form><nav>")
	id := 2
	add := func(tag, attrs, text string) {
		fmt.Fprintf(&b, "<%[1]s data-llm-id=%[2]d class='c-%[2]d u-m2 u-flex' %[3]s>%[4]s</%[1]s>", tag, id, attrs, text)
		id++
	}
	for range 60 {
		add("a", "href=/s/"+title()[:4], title())
	}
	b.WriteString("</nav><main>")
	for i := 0; id < portalElements; i++ {
		if i%12 == 0 {
			fmt.Fprintf(&b, "</section><section aria-label='Part %d'><h2>%s</h2>", i/12, title())
		}
		fmt.Fprintf(&b, "<article class='teaser teaser--large grid__item'><div><div><img src=/i/%d.jpg alt=''>", i)
		add("a", fmt.Sprintf("href=/a/%d", i), title())
		fmt.Fprintf(&b, "<p>%s and %s; nobody knows how it goes on.</p>", title(), title())
		for _, control := range []string{"Read more", "Share", "Save for later"} {
			if id < portalElements {
				add("a", fmt.Sprintf("href=/a/%d#%s", i, control[:4]), control)
			}
		}
		b.WriteString("</div></div></article>")
	}
	b.WriteString("</section></main><script>")
	for b.Len() < portalBytes {
		fmt.Fprintf(&b, "window.__state=window.__state||{};__state[%d]={\"id\":%[1]d,\"tags\":[\"%s\"]};\n", r.IntN(1e6), nouns[r.IntN(len(nouns))])
	}
	b.WriteString("</script></body></html>")
	return b.String()
}

// TestPrompt_largePage reads the portal whole, and finds elements by their
// names in what a model is shown of it.
func TestPrompt_largePage(t *testing.T) {
	t.Parallel()
	src := portal()
	p, err := Reader{}.Read(page.Capture{URL: "https://portal.test/", Mode: page.ModeFull, DOM: src})
	if err != nil {
		t.Fatal(err)
	}
	if len(src) < portalBytes || len(p.Elements) != portalElements {
		t.Fatalf("%d bytes were read as %d elements", len(src), len(p.Elements))
	}
	const queries = 200
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for _, i := range r.Perm(len(p.Elements))[:queries] {
		e := p.Elements[i]
		name := e.Name
		if own := []string{"Read more", "Share", "Save for later"}; slices.Contains(own, name) {
			// Nobody could tell which of a thousand is meant: a person says where.
			name += " of " + teaserOf(p.Elements, i)
		}
		shown := prompt.Page(p, prompt.View{Task: fmt.Sprintf("Click %q", name), Tokens: prompt.MaxTokens})
		if slices.Contains(shown.Shown, e.ID) {
			found++
		}
		if n := prompt.Tokens(prompt.Legend) + prompt.Tokens(shown.Text); n > prompt.MaxTokens {
			t.Errorf("the prompt for %q has %d tokens", name, n)
		}
	}
	t.Logf("%d of %d elements are found", found, queries)
	if found*100 < queries*95 {
		t.Errorf("only %d of %d elements are found", found, queries)
	}
}

// teaserOf is the headline before an element.
func teaserOf(elements []page.Element, i int) string {
	for ; i > 0; i-- {
		if strings.Contains(elements[i].Name, " after ") {
			return elements[i].Name
		}
	}
	return ""
}
