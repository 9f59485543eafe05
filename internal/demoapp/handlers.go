package demoapp

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody is far above what the form can fill.
const maxBody = 64 << 10

// toastCookie holds the token of a message for the next page.
const toastCookie = "registry_toast"

// list shows the patients, or those that match ?q=.
func (a *app) list(w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	a.render(w, http.StatusOK, listPage, view{
		Title: "Patients", Current: "patients", Toast: a.toast(w, r),
		Data: map[string]any{"Query": query, "Patients": a.registry.search(query, false)},
	})
}

// newPatient shows the empty form.
func (a *app) newPatient(w http.ResponseWriter, _ *http.Request) {
	a.render(w, http.StatusOK, formPage, view{Title: "New patient", Current: "new", Data: form{Genders: genders}})
}

// addPatient keeps the patient and goes to the list, or shows the form again
// with what is wrong.
func (a *app) addPatient(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		a.message(w, http.StatusBadRequest, "That form could not be read", "Go back and try again.")
		return
	}
	f := readForm(r)
	if !f.check(time.Now()) {
		a.render(w, http.StatusUnprocessableEntity, formPage, view{Title: "New patient", Current: "new", Data: f})
		return
	}
	p := a.registry.add(f.patient)
	a.redirect(w, r, "/", "Patient "+p.Name+" was added")
}

// patient shows one person.
func (a *app) patient(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.PathValue("id"))
	p, found := a.registry.byID(id)
	if !found {
		a.message(w, http.StatusNotFound, "No such patient", "The registry has no patient with this number.")
		return
	}
	a.render(w, http.StatusOK, patientPage, view{Title: p.Name, Current: "patients", Toast: a.toast(w, r), Data: p})
}

// archivePatient takes one person off the list.
func (a *app) archivePatient(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.PathValue("id"))
	p, found := a.registry.archive(id)
	if !found {
		a.message(w, http.StatusNotFound, "No such patient", "The registry has no patient with this number.")
		return
	}
	a.redirect(w, r, "/", "Patient "+p.Name+" was archived")
}

// archive shows who has been taken off the list.
func (a *app) archive(w http.ResponseWriter, _ *http.Request) {
	a.render(w, http.StatusOK, archivePage, view{Title: "Archive", Current: "archive", Data: a.registry.search("", true)})
}

// export is the list as a file.
func (a *app) export(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="patients.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"name", "birthDate", "email", "phone", "gender"})
	for _, p := range a.registry.search("", false) {
		_ = out.Write([]string{p.Name, p.BirthDate, p.Email, p.Phone, p.Gender})
	}
	out.Flush()
}

// flaky shows a form whose server always breaks.
func (a *app) flaky(w http.ResponseWriter, _ *http.Request) {
	a.render(w, http.StatusOK, flakyPage, view{Title: "Referral", Current: "flaky", Data: false})
}

// submitFlaky is the false success: the page says that it worked, the status
// says that it did not, and nothing was kept.
func (a *app) submitFlaky(w http.ResponseWriter, _ *http.Request) {
	a.render(w, http.StatusInternalServerError, flakyPage, view{Title: "Referral", Current: "flaky", Data: true})
}

func (a *app) nothingHere(w http.ResponseWriter, _ *http.Request) {
	a.message(w, http.StatusNotFound, "Page not found", "There is nothing at this address.")
}

// message is a page that says one thing.
func (a *app) message(w http.ResponseWriter, status int, title, text string) {
	a.render(w, status, messagePage, view{Title: title, Data: text})
}

// redirect goes to another page, which will show the toast.
func (a *app) redirect(w http.ResponseWriter, r *http.Request, path, toast string) {
	http.SetCookie(w, &http.Cookie{
		Name: toastCookie, Value: a.registry.leaveToast(toast), Path: "/",
		MaxAge: 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// toast takes the message that was left for this visitor, if any.
func (a *app) toast(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(toastCookie)
	if err != nil {
		return ""
	}
	message := a.registry.takeToast(c.Value)
	if message != "" {
		http.SetCookie(w, &http.Cookie{Name: toastCookie, Path: "/", MaxAge: -1})
	}
	return message
}
