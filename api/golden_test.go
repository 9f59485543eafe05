package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	view "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/tasks"
)

const goodInteract = `{"url":"https://example.com/","query":"Save it","dom":"<button id=14>Save</button>"}`

// render is an answer as it is kept in testdata/golden.
func render(w *httptest.ResponseRecorder) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", w.Code, http.StatusText(w.Code))
	var names []string
	for name := range w.Header() {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(w.Header()[name], ", "))
	}
	fmt.Fprintf(&b, "\n%s", w.Body)
	return []byte(b.String())
}

// One answer of every route, and of every kind of error.
func TestGolden(t *testing.T) {
	t.Parallel()
	fails := func(kind domain.Kind, code, msg string) func(*world) {
		return func(w *world) { w.fail = domain.Errorf(kind, code, "%s", msg) }
	}
	interact := ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract}
	tests := map[string]struct {
		ask   ask
		world func(*world)
	}{
		"login":              {ask: ask{method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"` + secret.Reveal() + `"}`}},
		"session of auth":    {ask: ask{method: get, target: "/api/v1/auth/session", token: tokenA}},
		"accept invite":      {ask: ask{method: post, target: "/api/v1/auth/invite/accept", body: `{"token":"an invitation","password":"long enough","name":"Dee"}`}},
		"change password":    {ask: ask{method: post, target: "/api/v1/auth/password", token: tokenA, body: `{"currentPassword":"` + secret.Reveal() + `","newPassword":"long enough"}`}},
		"error password":     {ask: ask{method: post, target: "/api/v1/auth/password", token: tokenA, body: `{"currentPassword":"x","newPassword":"long enough"}`}},
		"logins":             {ask: ask{method: get, target: "/api/v1/auth/logins", token: tokenA}},
		"revoke login":       {ask: ask{method: post, target: "/api/v1/auth/logins/" + loginA + "/revoke", token: tokenA}},
		"revoke logins":      {ask: ask{method: post, target: "/api/v1/auth/logins/revoke", token: tokenA}},
		"tenant":             {ask: ask{method: get, target: "/api/admin/tenant", token: tokenA}},
		"set domains":        {ask: ask{method: post, target: "/api/admin/tenant/domains", token: tokenA, body: `{"allowedDomains":["*.example.com"]}`}},
		"users":              {ask: ask{method: get, target: "/api/admin/users", token: tokenA}},
		"error role":         {ask: ask{method: get, target: "/api/admin/users", token: tokenMember}},
		"set role":           {ask: ask{method: post, target: "/api/admin/users/" + userMember + "/role", token: tokenA, body: `{"role":"finance"}`}},
		"error last admin":   {ask: ask{method: post, target: "/api/admin/users/" + userA + "/role", token: tokenA, body: `{"role":"member"}`}},
		"disable user":       {ask: ask{method: post, target: "/api/admin/users/" + userMember + "/disable", token: tokenA}},
		"enable user":        {ask: ask{method: post, target: "/api/admin/users/" + userMember + "/enable", token: tokenA}},
		"revoke user":        {ask: ask{method: post, target: "/api/admin/users/" + userMember + "/revoke", token: tokenA}},
		"invite":             {ask: ask{method: post, target: "/api/admin/invites", token: tokenA, body: `{"email":"dee@example.com","name":"Dee"}`}},
		"invites":            {ask: ask{method: get, target: "/api/admin/invites", token: tokenA}},
		"revoke invite":      {ask: ask{method: post, target: "/api/admin/invites/" + inviteA + "/revoke", token: tokenA}},
		"audit":              {ask: ask{method: get, target: "/api/admin/audit?limit=1", token: tokenA}},
		"erase task":         {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"task","id":"` + strings.ToUpper(taskA) + `","reason":"asked"}`}},
		"erase tenant":       {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"tenant","id":"` + tenantA + `","reason":"left","confirm":"Tenant ann"}`}},
		"error erase name":   {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"tenant","id":"` + tenantA + `","reason":"left","confirm":"tenant ann"}`}},
		"error erase other":  {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"tenant","id":"` + tenantB + `","reason":"left","confirm":"Tenant bob"}`}},
		"error erase last":   {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"user","id":"` + userA + `","reason":"left"}`}},
		"error erase kind":   {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"skill","id":"` + userA + `","reason":"left"}`}},
		"error erase why":    {ask: ask{method: post, target: "/api/admin/erasures", token: tokenA, body: `{"kind":"user","id":"` + userMember + `","reason":"Jo said so"}`}},
		"erasures":           {ask: ask{method: get, target: "/api/admin/erasures?limit=1", token: tokenA}},
		"erasures end":       {ask: ask{method: get, target: "/api/admin/erasures?before=9", token: tokenA}},
		"erasure":            {ask: ask{method: get, target: "/api/admin/erasures/" + erasureA, token: tokenA}},
		"error erasure":      {ask: ask{method: get, target: "/api/admin/erasures/" + taskA, token: tokenA}},
		"error invite role":  {ask: ask{method: post, target: "/api/admin/invites", token: tokenA, body: `{"email":"dee@example.com","role":"owner"}`}},
		"statements":         {ask: ask{method: get, target: "/api/usage/statements", token: tokenFinance}},
		"statement":          {ask: ask{method: get, target: "/api/usage/statements/2025-12", token: tokenFinance}},
		"statement draft":    {ask: ask{method: get, target: "/api/usage/statements/2026-01", token: tokenFinance}},
		"issue statement":    {ask: ask{method: post, target: "/api/usage/statements/2025-12/issue", token: tokenFinance}},
		"error statement":    {ask: ask{method: post, target: "/api/usage/statements/2026-01/issue", token: tokenFinance}},
		"logout":             {ask: ask{method: post, target: "/api/v1/auth/logout", token: tokenA}},
		"preferences":        {ask: ask{method: get, target: "/api/v1/user/preferences", token: tokenA}},
		"save preferences":   {ask: ask{method: post, target: "/api/v1/user/preferences", token: tokenA, body: `{"preferences":{"theme":"dark","n":[1,2]}}`}},
		"interact":           {ask: interact},
		"sessions":           {ask: ask{method: get, target: "/api/session", token: tokenA}},
		"no sessions":        {ask: ask{method: get, target: "/api/session?status=failed&limit=5&offset=5", token: tokenA}},
		"archive session":    {ask: ask{method: post, target: "/api/session", token: tokenA, body: `{"sessionId":"` + strings.ToUpper(sessionA) + `"}`}},
		"latest session":     {ask: ask{method: get, target: "/api/session/latest", token: tokenA}},
		"no latest session":  {ask: ask{method: get, target: "/api/session/latest?status=failed", token: tokenA}},
		"messages":           {ask: ask{method: get, target: "/api/session/" + sessionA + "/messages?since=2026-01-27T00:00:00.000Z", token: tokenA}},
		"active task":        {ask: ask{method: get, target: "/api/session/" + sessionA + "/task/active?url=https://example.com/", token: tokenA}},
		"usage":              {ask: ask{method: get, target: "/api/usage/summary", token: tokenA}},
		"usage by month":     {ask: ask{method: get, target: "/api/usage/summary?groupBy=month&from=2026-01-01T00:00:00Z", token: tokenA}},
		"usage by page":      {ask: ask{method: get, target: "/api/usage/summary?groupBy=month&limit=1&timeZone=UTC", token: tokenA}},
		"usage calls":        {ask: ask{method: get, target: "/api/usage/calls?limit=1", token: tokenA}},
		"replay":             {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/replay", token: tokenA}},
		"bisect":             {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/bisect?condition=/consecutiveFailures%20%3E%3D%202", token: tokenA}},
		"error bisect":       {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/bisect?condition=failed", token: tokenA}},
		"fork":               {ask: ask{method: post, target: "/api/debug/tasks/" + taskA + "/forks", token: tokenA, body: `{"turn":2,"settings":{"STEPLEDGER_MAX_STEPS":"3"}}`}},
		"error fork":         {ask: ask{method: post, target: "/api/debug/tasks/" + taskA + "/forks", token: tokenA, body: `{"turn":0}`}},
		"resolve":            {ask: ask{method: get, target: "/api/knowledge/resolve?url=https%3A%2F%2Fapp.acme.example%2Fa&query=expenses", token: tokenMember}, world: func(w *world) { w.domains = []string{"*.acme.example"} }},
		"resolve unknown":    {ask: ask{method: get, target: "/api/knowledge/resolve?url=https%3A%2F%2Facme.example%2F", token: tokenMember}, world: func(w *world) { w.domains = []string{"*.acme.example"} }},
		"ingest":             {ask: ask{method: post, target: "/api/knowledge/ingest", token: tokenA, body: `{"name":"handbook.md","text":"# Expenses","domains":["*.Example.com"],"language":"en"}`}},
		"ingest to source":   {ask: ask{method: post, target: "/api/knowledge/ingest", token: tokenA, body: `{"name":"handbook.pdf","content":"JVBERi0=","mediaType":"application/pdf","sourceId":"` + strings.ToUpper(sourceA) + `"}`}},
		"error ingest":       {ask: ask{method: post, target: "/api/knowledge/ingest", token: tokenA, body: `{"name":"handbook.pdf","content":"=JV"}`}},
		"error ingest other": {ask: ask{method: post, target: "/api/knowledge/ingest", token: tokenA, body: `{"name":"a.txt","text":"x","sourceId":"` + taskB + `"}`}},
		"index link":         {ask: ask{method: post, target: "/api/knowledge/index-link", token: tokenA, body: `{"url":"https://help.example.com/","strategy":"sitemap","maxPages":50,"everyHours":24}`}},
		"index link again":   {ask: ask{method: post, target: "/api/knowledge/index-link", token: tokenA, body: `{"url":"https://docs.example.com/","strategy":"spider"}`}},
		"error index link":   {ask: ask{method: post, target: "/api/knowledge/index-link", token: tokenA, body: `{"url":"https://docs.example.com/","strategy":"seen"}`}},
		"keep seen":          {ask: ask{method: post, target: "/api/knowledge/seen", token: tokenA, body: `{"url":"https://app.example.com/a"}`}},
		"sources":            {ask: ask{method: get, target: "/api/knowledge/sources", token: tokenEngineer}},
		"source":             {ask: ask{method: get, target: "/api/knowledge/sources/" + sourceA, token: tokenEngineer}},
		"error source":       {ask: ask{method: get, target: "/api/knowledge/sources/" + taskB, token: tokenA}},
		"documents":          {ask: ask{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents?status=refused&limit=1", token: tokenEngineer}},
		"documents end":      {ask: ask{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents?after=" + cursor(view.Mark{ReceivedAt: noon, ID: documentA}), token: tokenEngineer}},
		"error documents":    {ask: ask{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents?after=" + cursor(view.Mark{ReceivedAt: noon, ID: "1"}), token: tokenA}},
		"document":           {ask: ask{method: get, target: "/api/knowledge/sources/" + sourceA + "/documents/" + documentA, token: tokenEngineer}},
		"recrawl":            {ask: ask{method: post, target: "/api/knowledge/sources/" + sourceA + "/crawl", token: tokenA}},
		"remove source":      {ask: ask{method: post, target: "/api/knowledge/sources/" + strings.ToUpper(sourceA) + "/remove", token: tokenA}},
		"remove document":    {ask: ask{method: post, target: "/api/knowledge/sources/" + sourceA + "/documents/" + documentA + "/remove", token: tokenA}},
		"error remove":       {ask: ask{method: post, target: "/api/knowledge/sources/" + sourceA + "/documents/" + taskB + "/remove", token: tokenA}},
		"search":             {ask: ask{method: get, target: "/api/knowledge/search?q=expenses&url=https%3A%2F%2Fapp.example.com%2F&explain=true", token: tokenEngineer}, world: func(w *world) { w.domains = []string{"*.example.com"} }},
		"error search":       {ask: ask{method: get, target: "/api/knowledge/search?q=%20", token: tokenA}},
		"error resolve":      {ask: ask{method: get, target: "/api/knowledge/resolve?url=about%3Ablank", token: tokenMember}},
		"usage budget":       {ask: ask{method: get, target: "/api/usage/budget", token: tokenA}},
		"skills":             {ask: ask{method: get, target: "/api/debug/skills?domain=example.com", token: tokenA}},
		"projections":        {ask: ask{method: get, target: "/api/debug/projections", token: tokenA}},
		"usage export":       {ask: ask{method: get, target: "/api/usage/export?format=focus", token: tokenA}},
		"task search":        {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/events?type=turn_ended&type=task_resumed&field=target/name%3DSave%3D1&minCost=0.01&importance=high&verdict=failed&rule=x&turn=2&text=t", token: tokenA}},
		"error task search":  {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/events?field=target", token: tokenA}},
		"error task cost":    {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/events?minCost=1e3", token: tokenA}},
		"task list":          {ask: ask{method: get, target: "/api/debug/tasks?status=failed&domain=example.com&text=save", token: tokenA}},
		"task list end":      {ask: ask{method: get, target: "/api/debug/tasks?after=" + cursor(tasks.Mark{StartedAt: noon, TaskID: taskA}), token: tokenA}},
		"error task list":    {ask: ask{method: get, target: "/api/debug/tasks?after=" + cursor(tasks.Mark{StartedAt: noon, TaskID: "1"}), token: tokenA}},
		"task events":        {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/events", token: tokenA}},
		"task state":         {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/state?revision=3", token: tokenA}},
		"task state newest":  {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/state", token: tokenA}},
		"task state at":      {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/state?at=2026-01-27T13:00:00%2B01:00", token: tokenA}},
		"task turns":         {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns", token: tokenA}},
		"task turns end":     {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns?from=2", token: tokenA}},
		"task turn":          {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns/1", token: tokenA}},
		"task graph":         {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/graph", token: tokenA}},
		"task compare":       {ask: ask{method: get, target: "/api/debug/compare?a=" + taskA + "&b=" + taskA, token: tokenA}},
		"pause task":         {ask: ask{method: post, target: "/api/debug/tasks/" + taskA + "/pause", token: tokenA, body: `{"kind":"takeover","note":"let me"}`}},
		"resume task":        {ask: ask{method: post, target: "/api/debug/tasks/" + strings.ToUpper(taskA) + "/resume", token: tokenA, body: `{"note":"go on"}`}},
		"stop task":          {ask: ask{method: post, target: "/api/task/" + taskA + "/stop", token: tokenA}},
		"cancel task":        {ask: ask{method: post, target: "/api/task/" + strings.ToUpper(taskA) + "/cancel", token: tokenA}},
		"resume own task":    {ask: ask{method: post, target: "/api/task/" + taskA + "/resume", token: tokenA}},
		"error stop":         {ask: ask{method: post, target: "/api/task/" + taskB + "/stop", token: tokenA}},
		"error cancel":       {ask: ask{method: post, target: "/api/task/" + taskA + "/cancel", token: tokenA}, world: fails(domain.Conflict, "TASK_COMPLETED", "this task is completed")},
		"error pause":        {ask: ask{method: post, target: "/api/debug/tasks/" + taskB + "/pause", token: tokenA, body: `{}`}},
		"error pause note":   {ask: ask{method: post, target: "/api/debug/tasks/" + taskA + "/resume", token: tokenA, body: `{"note":"` + strings.Repeat("x", 2001) + `"}`}},
		"error compare":      {ask: ask{method: get, target: "/api/debug/compare?a=" + taskA, token: tokenA}},
		"turn page":          {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns/1/page", token: tokenA}},
		"error turn page":    {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/turns/2/page", token: tokenA}},
		"task call":          {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/calls/" + callA, token: tokenA}},
		"task diff":          {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/diff?from=0", token: tokenA}},
		"task fields":        {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/fields", token: tokenA}},
		"debug logs":         {ask: ask{method: get, target: "/api/debug/logs?taskId=" + taskA + "&logType=error&limit=2&since=2026-01-26T12:00:00Z", token: tokenA}},
		"debug logs all":     {ask: ask{method: get, target: "/api/debug/logs?since=2020-01-01T00:00:00Z", token: tokenA}},
		"debug logs none":    {ask: ask{method: get, target: "/api/debug/logs", token: tokenB}},
		"session export":     {ask: ask{method: get, target: "/api/debug/session/" + taskA + "/export", token: tokenA}},
		"parked":             {ask: ask{method: get, target: "/api/debug/projections/parked", token: tokenA}},
		"nothing parked":     {ask: ask{method: post, target: "/api/debug/projections/tasks/retry", token: tokenB}},
		"retry parked":       {ask: ask{method: post, target: "/api/debug/projections/tasks/retry", token: tokenA}},
		"calibration":        {ask: ask{method: get, target: "/api/debug/calibration?from=2026-01-01T00:00:00Z", token: tokenA}},
		"no calibration":     {ask: ask{method: get, target: "/api/debug/calibration", token: tokenB}},
		"health":             {ask: ask{method: get, target: "/api/health"}},
		"live":               {ask: ask{method: get, target: "/api/health/live"}},
		"ready":              {ask: ask{method: get, target: "/api/health/ready"}},

		"error unknown route":   {ask: ask{method: get, target: "/api/nothing"}},
		"error wrong method":    {ask: ask{method: "DELETE", target: "/api/session", token: tokenA}},
		"error unauthenticated": {ask: ask{method: get, target: "/api/session"}},
		"error credentials":     {ask: ask{method: post, target: "/api/v1/auth/login", body: `{"email":"ann@example.com","password":"wrong"}`}},
		"error disabled":        {ask: ask{method: post, target: "/api/v1/auth/login", body: `{"email":"off@example.com","password":"x"}`}},
		"error no revision":     {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/state?revision=8", token: tokenA}},
		"error two moments":     {ask: ask{method: get, target: "/api/debug/tasks/" + taskA + "/state?revision=1&at=2026-01-27T13:00:00Z", token: tokenA}},
		"error no projection":   {ask: ask{method: get, target: "/api/debug/projections/parked?projection=tali", token: tokenA}},
		"error retry":           {ask: ask{method: post, target: "/api/debug/projections/tasks/retry", token: tokenA}, world: fails(domain.Conflict, "RESOURCE_CONFLICT", "the tables are of another version")},
		"error not json":        {ask: ask{method: post, target: "/api/agent/interact", token: tokenA, body: `{"url":`}},
		"error field":           {ask: ask{method: post, target: "/api/agent/interact", token: tokenA, body: `{"url":"chrome://newtab","query":"x","dom":"x"}`}},
		"error parameter":       {ask: ask{method: get, target: "/api/session?limit=101", token: tokenA}},
		"error media type":      {ask: ask{method: post, target: "/api/session", token: tokenA, body: `{}`, header: map[string]string{"Content-Type": "text/plain"}}},
		"error too large":       {ask: ask{method: post, target: "/api/session", token: tokenA, body: `{"sessionId":"` + strings.Repeat("x", smallBody) + `"}`}},
		"error denied":          {ask: interact, world: fails(domain.Denied, "FORBIDDEN", "not yours")},
		"error task completed":  {ask: interact, world: fails(domain.Conflict, "TASK_COMPLETED", "the task is finished")},
		"error task paused": {ask: interact, world: func(w *world) {
			w.fail = task.PausedError(task.State{Pause: &task.Pause{By: userB, Kind: task.TakenOver, At: noon}})
		}},
		"error conflict": {ask: interact, world: func(w *world) {
			e := domain.Errorf(domain.Conflict, "RESOURCE_CONFLICT", "another turn is running")
			e.RetryAfter, e.Details = 1500*time.Millisecond, map[string]any{"reason": "overlapping turns"}
			w.fail = fmt.Errorf("interact: %w", e)
		}},
		"error rate limit":        {ask: interact, world: func(w *world) { w.limits[account.Interact] = 0 }},
		"error unavailable":       {ask: interact, world: fails(domain.Unavailable, "EXTERNAL_SERVICE_ERROR", "the database did not answer")},
		"error internal":          {ask: interact, world: func(w *world) { w.fail = errors.New("dial postgres://user:pass@db") }},
		"error llm":               {ask: interact, world: fails(domain.Internal, "LLM_ERROR", "the prompt was: secret")},
		"error panic":             {ask: interact, world: func(w *world) { w.panicking = true }},
		"error broken answer":     {ask: interact, world: func(w *world) { w.answer.Answer = []byte(`{"taskId":`) }},
		"error not there yet":     {ask: ask{method: get, target: "/api/session?atLeast=90", token: tokenA}, world: func(w *world) { w.lag = 3 }},
		"stale but an answer":     {ask: ask{method: get, target: "/api/session", token: tokenA}, world: func(w *world) { w.lag = 3 }},
		"interact answered twice": {ask: interact, world: func(w *world) { w.answer.Replayed = true }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			if tt.world != nil {
				tt.world(w)
			}
			got := send(t, w.server(), tt.ask)
			compareFile(t, filepath.Join("testdata", "golden", strings.ReplaceAll(name, " ", "_")+".txt"), render(got))
		})
	}
}
