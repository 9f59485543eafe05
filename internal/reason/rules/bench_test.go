package rules

import (
	"fmt"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// largePage has as many elements as the largest of 130 real articles.
func largePage() page.Page {
	var es []page.Element
	for i := range 3874 {
		es = append(es, elem([]string{"link", "button", "textbox"}[i%3], fmt.Sprintf("Patient record number %d of the list", i), group(fmt.Sprint("Row ", i))))
	}
	p := pageBuilder{URL: home, Title: "Patients", Elements: es}
	for i := range 100 {
		p.Headings = append(p.Headings, fmt.Sprintf("Section %d of the patient list", i))
	}
	return p.done()
}

func BenchmarkAct(b *testing.B) {
	p := largePage()
	for _, query := range []string{"Add a new patient with name 'Jas', email a@b.co and phone 555 0100", "delete patient Jas", "click Save and then search for 'x'"} {
		b.Run(query, func(b *testing.B) {
			q := reasoning.ActQuestion{Client: able, Query: query, Page: p}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (Reasoner{}).Act(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
