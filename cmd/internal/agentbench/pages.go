package agentbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// What an episode of Pages may use up.
const (
	pageActions = 10
	pageTime    = 30 * time.Second
)

// Split reads the names of the tasks that may be opened: the list "train" of a JSON
// object.
func Split(file string) ([]string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var split struct{ Train []string }
	if err := json.Unmarshal(raw, &split); err != nil {
		return nil, fmt.Errorf("read the split %s: %w", file, err)
	}
	if len(split.Train) == 0 {
		return nil, fmt.Errorf("read the split %s: %w", file, errNoTrain)
	}
	return split.Train, nil
}

var errNoTrain = errors.New(`there is no list "train"`)

// Pages are trials on the pages of a folder, each named for its task: seeds from 0 of
// every task of open that is wanted (none wanted is all). The folder's parent is served
// on this machine until stop.
func Pages(ctx context.Context, set, folder string, open, wanted []string, seeds int) (trials []Trial, stop func(), err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, func() {}, err
	}
	port, stop, err := serve(ctx, filepath.Dir(folder))
	if err != nil {
		return nil, stop, err
	}
	for _, task := range chosen(open, wanted) {
		path := "/" + filepath.Base(folder) + "/" + task + ".html"
		for seed := range seeds {
			trials = append(trials, Trial{
				Set: set, Task: task, Seed: seed, Actions: pageActions, Time: pageTime,
				play: page{port: port, path: path, seed: seed},
			})
		}
	}
	return trials, stop, nil
}

// chosen are the names among all that are wanted; none wanted is all.
func chosen(all, wanted []string) []string {
	if len(wanted) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(wanted, name) })
}

// serve serves a folder on this machine until stop.
func serve(ctx context.Context, folder string) (port string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", func() {}, err
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	_, port, err = net.SplitHostPort(listener.Addr().String())
	return port, func() { _ = server.Close() }, err
}

// page is one episode of a page.
type page struct {
	port, path string
	seed       int
}

// start makes the page begin an episode of a seed, waits until it is ready, and takes
// away what is there for a person who trains: the instruction, which comes in words, the
// reward and the clock. An instruction without words stays: it can only be looked at.
const start = `(async () => {
	Math.seedrandom(%d);
	core.EPISODE_MAX_TIME = 3600 * 1000;
	core.startEpisodeReal();
	for (let i = 0; i < 100 && WOB_TASK_READY === false; i++) await new Promise(r => setTimeout(r, 50));
	const said = core.getUtterance();
	const words = said && typeof said === "object" ? said.utterance : said;
	if (core.clearTimer) core.clearTimer();
	document.body.removeEventListener("click", core.canvasDrawClick);
	const end = core.endEpisode;
	core.endEpisode = (...how) => { try { end(...how) } catch { /* it shows the reward, where nothing is left to show it */ } };
	for (const id of ["reward-display", "click-canvas", "sync-task-cover"]) document.getElementById(id)?.remove();
	const query = document.getElementById("query");
	if (query && words) query.innerHTML = "";
	return words;
})()`

func (p page) begin(ctx context.Context, tab *browser.Tab, site string) (words string, err error) {
	if err := tab.Open(ctx, "http://"+net.JoinHostPort(site, p.port)+p.path); err != nil {
		return "", err
	}
	if err := ask(ctx, tab, fmt.Sprintf(start, p.seed), &words); err != nil {
		return "", err
	}
	_, err = tab.WaitStable(ctx)
	return words, err
}

func (p page) over(ctx context.Context, tab *browser.Tab) (over bool, err error) {
	err = ask(ctx, tab, "WOB_DONE_GLOBAL === true", &over)
	return over, err
}

func (p page) judge(ctx context.Context, tab *browser.Tab) (t Truth, err error) {
	err = ask(ctx, tab, `({over: WOB_DONE_GLOBAL, reward: Number(WOB_RAW_REWARD_GLOBAL), reason: String(WOB_REWARD_REASON ?? "")})`, &t)
	t.Solved = t.Over && t.Reward > 0
	return t, err
}

func (page) end() {}

// ask decodes the value of an expression in the page's own world.
func ask(ctx context.Context, tab *browser.Tab, expression string, value any) error {
	raw, err := tab.Evaluate(ctx, expression)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, value)
}
