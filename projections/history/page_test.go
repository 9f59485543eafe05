package history_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestReader_Page(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := e.Task(e.Session(), url, "log in")
	k.Append(task.PageObserved{Tenant: k.Tenant, User: k.User, Session: k.Session, Turn: 1, Page: "p1"}).
		Act(projtest.Click("14"), projtest.Target("14", "button", "Save")).Typed("hunter2zz").
		Append(task.PageObserved{Turn: 2, Page: "p2"}, task.PageObserved{Turn: 3})
	kept := contents{texts: map[string]string{"p1": `{"url":"https://clinic.example","dom":"<p>my password is hunter2zz</p>"}`}}
	r := history.Reader{Log: e.Store, Keys: e.Keys, Content: kept}
	got, err := r.Page(t.Context(), projtest.Tenant, k.ID, 1)
	if err != nil || got.Target != "14" || got.Turn != 1 || got.Capture.DOM != "<p>my password is [secret]</p>" {
		t.Errorf("got %+v, %v", got, err)
	}
	erased := r
	erased.Content = contents{fails: domain.ErrErased}
	for name, tt := range map[string]struct {
		r      history.Reader
		tenant string
		turn   int
		says   string
	}{
		"expired":        {r, projtest.Tenant, 2, "not kept any more"},
		"never known":    {r, projtest.Tenant, 3, "nobody knew"},
		"erased":         {erased, projtest.Tenant, 1, "erased"},
		"no such turn":   {r, projtest.Tenant, 4, "no turn 4"},
		"another tenant": {r, "globex", 1, "no such task"},
	} {
		var e *domain.Error
		if _, err := tt.r.Page(t.Context(), tt.tenant, k.ID, tt.turn); !errors.As(err, &e) || e.Kind != domain.NotFound || !strings.Contains(e.Msg, tt.says) {
			t.Errorf("%s: %v; want not found, %q", name, err, tt.says)
		}
	}
}
