package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	cookie = "stepledger"
	// maxForm bounds the body of a form.
	maxForm = 16 << 10
)

func tokenOf(r *http.Request) string {
	c, err := r.Cookie(cookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// setToken keeps the token in the browser until it expires; "" removes it. The cookie
// comes along when somebody follows a link to a task, and never with a form of another
// site.
func setToken(w http.ResponseWriter, r *http.Request, token string, until time.Time) {
	c := &http.Cookie{Name: cookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"}
	if token == "" {
		c.MaxAge = -1
	} else {
		c.Expires = until
	}
	http.SetCookie(w, c)
}

// loginPath leads to the login and from there back.
func loginPath(back *url.URL) string {
	if back.Path == "/" {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(back.RequestURI())
}

// localPath is next if it is a path of these pages, else their start.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		return "/tasks"
	}
	return next
}

type loginView struct{ Next, Email, Problem string }

func (p *Pages) loginForm(w http.ResponseWriter, req *http.Request) {
	p.showLogin(w, req, http.StatusOK, loginView{Next: localPath(req.URL.Query().Get("next"))})
}

func (p *Pages) showLogin(w http.ResponseWriter, req *http.Request, status int, v loginView) {
	r := &request{Request: req, w: w}
	if err := p.write(r, status, "login", view{Title: "Sign in", Data: v}); err != nil {
		p.failed(r, err)
	}
}

func (p *Pages) login(w http.ResponseWriter, req *http.Request) {
	req.Body = http.MaxBytesReader(w, req.Body, maxForm)
	v := loginView{Next: localPath(req.PostFormValue("next")), Email: req.PostFormValue("email")}
	body, err := json.Marshal(map[string]string{"email": v.Email, "password": req.PostFormValue("password")})
	var login struct {
		AccessToken string
		ExpiresAt   time.Time
	}
	if err == nil {
		err = p.fetch(req, "", http.MethodPost, "/api/v1/auth/login", strings.NewReader(string(body)), &login)
	}
	var refused *apiError
	switch {
	case errors.As(err, &refused):
		v.Problem = refused.Message
		p.showLogin(w, req, refused.Status, v)
	case err != nil:
		p.failed(&request{Request: req, w: w}, err)
	default:
		setToken(w, req, login.AccessToken, login.ExpiresAt)
		http.Redirect(w, req, v.Next, http.StatusSeeOther)
	}
}

func (p *Pages) logout(w http.ResponseWriter, req *http.Request) {
	err := p.fetch(req, tokenOf(req), http.MethodPost, "/api/v1/auth/logout", nil, nil)
	var refused *apiError
	// A token that is not one any more is as good as revoked.
	if err != nil && (!errors.As(err, &refused) || refused.Status != http.StatusUnauthorized) {
		p.failed(&request{Request: req, w: w}, err)
		return
	}
	setToken(w, req, "", time.Time{})
	http.Redirect(w, req, "/login", http.StatusSeeOther)
}
