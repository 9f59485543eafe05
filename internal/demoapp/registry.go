package demoapp

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
)

// patient is one person in the registry.
type patient struct {
	ID        int
	Name      string
	BirthDate string // YYYY-MM-DD, or ""
	Email     string
	Phone     string
	Gender    string
	Consent   bool
	Archived  bool
}

// registry is the store behind one handler.
type registry struct {
	mu       sync.Mutex
	patients []patient
	toasts   map[string]string // one-time messages, by the token in the visitor's cookie
}

func newRegistry() *registry {
	r := &registry{toasts: map[string]string{}}
	for _, p := range []patient{
		{Name: "Amira Haddad", BirthDate: "1984-03-12", Email: "amira.haddad@example.org", Phone: "+49 30 5550 101", Gender: "Female", Consent: true},
		{Name: "Björn Ek", BirthDate: "1971-11-02", Email: "bjorn.ek@example.org", Phone: "+46 8 5550 102", Gender: "Male", Consent: true},
		{Name: "Chloé Martin", BirthDate: "1992-07-25", Email: "chloe.martin@example.org", Phone: "+33 1 5550 103", Gender: "Female"},
		{Name: "Fionn O’Neill", BirthDate: "2001-01-30", Email: "fionn.oneill@example.org", Phone: "+353 1 5550 104", Gender: "Male", Consent: true},
		{Name: "Imani Okoro", BirthDate: "1966-09-08", Email: "imani.okoro@example.org", Phone: "+234 1 5550 105", Gender: "Other", Consent: true},
		{Name: "Sofía Núñez", BirthDate: "1979-12-19", Email: "sofia.nunez@example.org", Phone: "+34 91 5550 106", Gender: "Female"},
		{Name: "Ελένη Παππά", BirthDate: "1988-05-04", Email: "eleni.pappa@example.org", Phone: "+30 21 5550 107", Gender: "Female", Consent: true},
	} {
		r.add(p)
	}
	return r
}

// add gives the patient the next id and keeps it.
func (r *registry) add(p patient) patient {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.ID = len(r.patients) + 1
	r.patients = append(r.patients, p)
	return p
}

// byID finds a patient, archived or not.
func (r *registry) byID(id int) (patient, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 1 || id > len(r.patients) {
		return patient{}, false
	}
	return r.patients[id-1], true
}

// archive takes a patient off the list. Archiving twice is archiving once.
func (r *registry) archive(id int) (patient, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 1 || id > len(r.patients) {
		return patient{}, false
	}
	r.patients[id-1].Archived = true
	return r.patients[id-1], true
}

// search lists the patients whose name, email or phone contains the text, in
// any case, ordered by name. An empty text matches everyone.
func (r *registry) search(text string, archived bool) []patient {
	text = strings.ToLower(strings.TrimSpace(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []patient
	for _, p := range r.patients {
		if p.Archived == archived && strings.Contains(strings.ToLower(p.Name+"\n"+p.Email+"\n"+p.Phone), text) {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b patient) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return found
}

// maxToasts bounds what visitors who never come back leave behind.
const maxToasts = 1000

// leaveToast keeps a message for the next page of the visitor who has the
// token. The cookie carries a token and not the text, so nobody can make the
// registry say what it did not do, and two registries on one host (cookies
// know no ports) do not show each other's messages.
func (r *registry) leaveToast(message string) (token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.toasts) >= maxToasts {
		clear(r.toasts)
	}
	token = rand.Text()
	r.toasts[token] = message
	return token
}

// takeToast returns a message once.
func (r *registry) takeToast(token string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	message := r.toasts[token]
	delete(r.toasts, token)
	return message
}
