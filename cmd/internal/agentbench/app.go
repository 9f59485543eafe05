package agentbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// What an episode of App may use up.
const (
	appActions = 25
	appTime    = 60 * time.Second
)

// App are trials on the application in a folder: those of its function tasks that are
// wanted, by id (none wanted is all). The folder holds server.py, which takes --port and
// gives its state at /api/state, and function-tasks.json, which names a verifier each.
func App(set, folder string, wanted []string) ([]Trial, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(folder, "function-tasks.json"))
	if err != nil {
		return nil, err
	}
	var tasks []struct{ ID, Instruction, Verify string }
	if err := json.Unmarshal(raw, &tasks); err != nil {
		return nil, fmt.Errorf("read the tasks of %s: %w", folder, err)
	}
	var trials []Trial
	for _, t := range tasks {
		name := filepath.Base(folder) + "/" + t.ID
		if len(wanted) > 0 && !slices.Contains(wanted, t.ID) && !slices.Contains(wanted, name) {
			continue
		}
		trials = append(trials, Trial{
			Set: set, Task: name, Actions: appActions, Time: appTime,
			play: &app{folder: folder, words: t.Instruction, verifier: filepath.Join(folder, t.Verify)},
		})
	}
	return trials, nil
}

// app is one episode of an application, on a server of its own: none has to be reset.
type app struct {
	folder, words, verifier string

	address string
	before  map[string]any
	stop    func()
}

func (a *app) begin(ctx context.Context, tab *browser.Tab, site string) (string, error) {
	port, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	a.address = "http://127.0.0.1:" + port
	if err := a.serve(port); err != nil {
		return "", err
	}
	if err := eventually(ctx, func() error { return get(ctx, a.address, nil) }); err != nil {
		return "", fmt.Errorf("the application's server does not answer: %w", err)
	}
	if err := tab.Open(ctx, "http://"+net.JoinHostPort(site, port)+"/"); err != nil {
		return "", err
	}
	// The page brings the server its first state.
	err = eventually(ctx, func() (err error) { a.before, err = a.state(ctx); return err })
	return a.words, err
}

// serve starts the application's server, which lives until end.
func (a *app) serve(port string) error {
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "python3", "server.py", "--port", port)
	cmd.Dir = a.folder
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if err := cmd.Start(); err != nil {
		stop()
		return err
	}
	a.stop = func() {
		stop()
		_ = cmd.Wait() // it was killed, and says so
	}
	return nil
}

func (a *app) end() {
	if a.stop != nil {
		a.stop()
	}
}

func (a *app) over(context.Context, *browser.Tab) (bool, error) { return false, nil }

// verify runs a verifier, which prints true or false and why. Those that ask the server
// with the library requests get the little of it they use, where it is not installed.
const verify = `
import importlib.util, json, sys, types, urllib.request, urllib.error
try:
    import requests
except ImportError:
    class Response:
        def __init__(self, status, body): self.status_code, self.text, self.ok = status, body.decode(), status < 400
        def json(self): return json.loads(self.text)
        def raise_for_status(self):
            if not self.ok: raise RuntimeError(self.status_code)
    def get(url, **_):
        try:
            with urllib.request.urlopen(url) as r: return Response(r.status, r.read())
        except urllib.error.HTTPError as e: return Response(e.code, e.read())
    sys.modules["requests"] = types.SimpleNamespace(get=get)
spec = importlib.util.spec_from_file_location("verifier", sys.argv[1])
verifier = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verifier)
said = verifier.verify(sys.argv[2])
ok, why = said if isinstance(said, tuple) else (said, "")
print(json.dumps({"solved": bool(ok), "reason": str(why)}))
`

func (a *app) judge(ctx context.Context, tab *browser.Tab) (t Truth, err error) {
	if _, err := tab.WaitStable(ctx); err != nil {
		return t, err
	}
	after, err := a.state(ctx)
	if err != nil {
		return t, err
	}
	cmd := exec.CommandContext(ctx, "python3", "-c", verify, a.verifier, a.address)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return t, fmt.Errorf("verifier: %w: %s", err, exit.Stderr)
	}
	if err != nil {
		return t, err
	}
	err = json.Unmarshal(out, &t)
	t.Changed = differing(a.before, after)
	return t, err
}

// differing are the names whose values are not the same.
func differing(a, b map[string]any) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool { return reflect.DeepEqual(a[name], b[name]) })
}

func (a *app) state(ctx context.Context) (state map[string]any, err error) {
	err = get(ctx, a.address+"/api/state", &state)
	return state, err
}

func get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("get %s: %s: %s", address, res.Status, strings.TrimSpace(string(body)))
	case into == nil:
		return nil
	}
	return json.Unmarshal(body, into)
}

// answersWithin bounds the start of an application.
const answersWithin = 15 * time.Second

// eventually repeats what does not succeed yet.
func eventually(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// freePort is one nobody listens at.
func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
