package web

import (
	"net/http"
	"net/url"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
)

type skillsView struct {
	api.SkillsData
	Domain string
}

func (p *Pages) skills(r *request) error {
	v := skillsView{Domain: r.URL.Query().Get("domain")}
	if err := p.get(r, &v.SkillsData, url.Values{"domain": {v.Domain}}, "debug", "skills"); err != nil {
		return err
	}
	return p.show(r, "skills", "skills", "Skills", v)
}

type calibrationView struct {
	calibration.Report
	From, To string
}

func (p *Pages) calibration(r *request) error {
	query := r.URL.Query()
	v := calibrationView{From: query.Get("from"), To: query.Get("to")}
	asked := url.Values{"from": {midnight(v.From)}, "to": {midnight(v.To)}}
	if err := p.get(r, &v.Report, asked, "debug", "calibration"); err != nil {
		return err
	}
	return p.show(r, "calibration", "calibration", "Calibration", v)
}

type projectionsView struct {
	api.ProjectionsData
	Parked []projections.Parked
	// Retried says what a retry came to, nil if there was none.
	Retried *api.RetriedData
}

func (p *Pages) projections(r *request) error { return p.showProjections(r, nil) }

func (p *Pages) showProjections(r *request, retried *api.RetriedData) error {
	v := projectionsView{Retried: retried}
	if err := p.get(r, &v.ProjectionsData, nil, "debug", "projections"); err != nil {
		return err
	}
	var parked api.ParkedData
	if err := p.get(r, &parked, nil, "debug", "projections", "parked"); err != nil {
		return err
	}
	v.Parked = parked.Parked
	return p.show(r, "projections", "projections", "Read models", v)
}

// retry applies what a read model has put aside of the tenant.
func (p *Pages) retry(r *request) error {
	var done api.RetriedData
	path := target(nil, "debug", "projections", r.PathValue("name"), "retry")
	if err := p.fetch(r.Request, r.token, http.MethodPost, path, nil, &done); err != nil {
		return err
	}
	return p.showProjections(r, &done)
}
