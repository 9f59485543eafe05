package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/cmd/internal/packed"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/task"
)

func (p program) taskExportCmd() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export TASK",
		Short: "Write a task as one file: opens in a browser without a network, and is what import and replay read",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				tenant, err := s.tenantOf(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				x, err := s.export(cmd.Context(), tenant, args[0])
				if err != nil {
					return err
				}
				if file == "" {
					return writeExport(p.out, x)
				}
				return writeExportFile(file, x)
			})
		},
	}
	cmd.Flags().StringVar(&file, "out", "", "the file, compressed with zstd if its name ends with "+packedSuffix+"; the output if left out")
	return cmd
}

func (p program) taskImportCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read an exported task and check that its events fold to the state they were exported with; task replay FILE replays it",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			t, x, err := readExport(args[0])
			if err != nil {
				return err
			}
			if err := x.Verify(t); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if asJSON {
				return p.printJSON(t.Final)
			}
			_, err = fmt.Fprintf(p.out, "task %s: %d events, %d turns, %s; state %s\n", t.ID, len(x.Events), len(t.Turns), t.Final.Status, x.StateHash)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the state as JSON")
	return cmd
}

// export is a task with the settings that a replay of it decides by.
func (s *system) export(ctx context.Context, tenant, id string) (replay.Export, error) {
	x, err := s.source().Export(ctx, tenant, id, time.Now())
	x.Settings = s.cfg.changedForReplay()
	return x, err
}

// packedSuffix ends the name of a file that is compressed.
const packedSuffix = ".zst"

// writeExportFile writes an export for its owner alone.
func writeExportFile(name string, x replay.Export) error {
	var b bytes.Buffer
	if err := writeExport(&b, x); err != nil {
		return err
	}
	file := b.Bytes()
	if strings.HasSuffix(name, packedSuffix) {
		var err error
		if file, err = packed.Pack(file); err != nil {
			return err
		}
	}
	return os.WriteFile(name, file, 0o600)
}

// replayFile decides an exported task anew. That it folds otherwise than it was exported
// with is a warning: it may have been written by another version.
func (p program) replayFile(cmd *cobra.Command, name string) (replay.Report, error) {
	t, x, err := readExport(name)
	if err != nil {
		return replay.Report{}, err
	}
	if err := x.Verify(t); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %v\n", err)
	}
	minds, err := p.mindsOf(t, x)
	if err != nil {
		return replay.Report{}, err
	}
	return replay.Run(cmd.Context(), t, minds)
}

// loadFile reads an exported task, and says who decides it.
func (p program) loadFile(_ context.Context, r replay.Ref) (replay.Task, replay.Minds, error) {
	t, x, err := readExport(r.File)
	if err != nil {
		return t, nil, err
	}
	minds, err := p.mindsOf(t, x)
	return t, minds, err
}

// mindsOf decide an exported task by the settings of the environment, and where it says
// nothing by those the task was exported with.
func (p program) mindsOf(t replay.Task, x replay.Export) (replay.Minds, error) {
	known := config{}.forReplay()
	cfg, err := readConfig(func(name string) string {
		if _, ok := known[name]; ok {
			return cmp.Or(p.env(name), x.Settings[name])
		}
		return p.env(name)
	})
	return recordedMinds(cfg, t), err
}

// bisectFile is the first revision of an exported task at which a condition holds.
func bisectFile(name string, condition replay.Predicate) (replay.Found, error) {
	_, x, err := readExport(name)
	if err != nil {
		return replay.Found{}, err
	}
	found, err := x.Bisect(condition)
	found.File = name
	return found, err
}

// The mark of the data in an export, and what ends it. In JSON as it is written there a
// "<" never stands as such.
const (
	exportBegins = `<script type="application/json" id="stepledger-export">`
	exportEnds   = `</script>`
)

// readExport reads the page that export wrote, or what the API sent.
func readExport(name string) (replay.Task, replay.Export, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return replay.Task{}, replay.Export{}, err
	}
	if packed.Is(b) {
		if b, err = packed.Unpack(b); err != nil {
			return replay.Task{}, replay.Export{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	x, err := parseExport(b)
	if err != nil {
		return replay.Task{}, x, fmt.Errorf("%s %w", name, err)
	}
	t, err := replay.Import(x)
	if err != nil {
		return t, x, fmt.Errorf("%s: %w", name, err)
	}
	return t, x, nil
}

func parseExport(b []byte) (x replay.Export, err error) {
	_, rest, found := bytes.Cut(b, []byte(exportBegins))
	data, _, whole := bytes.Cut(rest, []byte(exportEnds))
	if found && whole {
		if err := json.Unmarshal(data, &x); err != nil {
			return x, fmt.Errorf("cannot be read: %w", err)
		}
		return x, nil
	}
	var sent struct{ Data *replay.Export }
	if json.Unmarshal(b, &sent) != nil || sent.Data == nil {
		return x, errors.New("is no export of a task")
	}
	return *sent.Data, nil
}

// exportedTurn is a turn as the page of an export shows it.
type exportedTurn struct {
	Number                    int
	At, URL, Title            string
	Verdict, Rule, Reason     string
	Thought, Action, Question string
	Observations              []string
	Calls                     []string
	Events                    []exportedEvent
}

type exportedEvent struct{ Type, Data string }

func writeExport(w io.Writer, x replay.Export) error {
	data, err := json.Marshal(x) // escapes <, > and &
	if err != nil {
		return err
	}
	t, err := replay.Import(x)
	if err != nil {
		return err
	}
	return exportPage.Execute(w, map[string]any{
		"Export": x, "State": t.Final, "Turns": exportedTurns(t),
		"Data": template.HTML(exportBegins + string(data) + exportEnds), //nolint:gosec // JSON in which < is escaped
	})
}

func exportedTurns(t replay.Task) (out []exportedTurn) {
	for _, turn := range t.Turns {
		v := exportedTurn{Number: turn.Number, At: turn.At.UTC().Format(time.RFC3339), URL: turn.Observed.URL, Title: turn.Observed.Title}
		for _, c := range turn.Calls {
			v.Calls = append(v.Calls, fmt.Sprintf("%s by %s: %d tokens read, %d written", c.Started.Purpose, c.Started.Model, c.Meters.Input(), c.Meters.Outputs()))
		}
		for _, e := range turn.Decided {
			v.add(e)
		}
		out = append(out, v)
	}
	return out
}

func (v *exportedTurn) add(e task.Event) {
	switch e := e.(type) {
	case task.ActionVerified:
		v.Verdict, v.Rule, v.Reason, v.Observations = string(e.Outcome()), e.Rule, e.Reason, e.Observations
	case task.ActionGenerated:
		v.Thought, v.Action = e.Thought, e.Action
	case task.CorrectionIssued:
		v.Thought, v.Action = e.Thought, e.RetryAction
	case task.UserInputRequested:
		v.Question = e.Question
	case task.TaskCompleted:
		v.Action, v.Thought = "finish", e.Message
	case task.TaskFailed:
		v.Action, v.Thought = "fail", e.Message
	}
	data, err := json.MarshalIndent(e, "", "  ")
	if err == nil {
		v.Events = append(v.Events, exportedEvent{task.Codec.Name(e), string(data)})
	}
}

var exportPage = template.Must(template.New("export").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Task {{.Export.TaskID}}</title>
<style>
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 20%,transparent);--good:#1a7f37;--bad:#b42318;--open:#9a6700}
@media (prefers-color-scheme:dark){:root{--good:#57ab5a;--bad:#f47067;--open:#daaa3f}}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}
h1{font-size:1.3rem;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
article{border-top:1px solid var(--line);padding:.8rem 0}h2{font-size:1rem;margin:0}code,pre{font:13px/1.4 ui-monospace,monospace}
pre{overflow:auto;border:1px solid var(--line);padding:.5rem;border-radius:4px}.succeeded{color:var(--good)}.failed{color:var(--bad)}.undecided{color:var(--open)}
summary{cursor:pointer}ul{margin:.2rem 0}
</style></head><body>
<h1>{{.State.Query}}</h1>
<dl><dt>Task</dt><dd><code>{{.Export.TaskID}}</code></dd><dt>Status</dt><dd>{{.State.Status}} {{.State.Code}}</dd>
{{with .State.Message}}<dt>Message</dt><dd>{{.}}</dd>{{end}}<dt>Exported</dt><dd>{{.Export.ExportedAt.Format "2006-01-02 15:04:05 UTC"}}</dd>
<dt>State</dt><dd><code>{{.Export.StateHash}}</code></dd>{{range .Export.Missing}}<dt>Missing</dt><dd>{{.}}</dd>{{end}}</dl>
{{range .Turns}}<article id="turn-{{.Number}}"><h2><a href="#turn-{{.Number}}">Turn {{.Number}}</a> {{.Title}}</h2>
<dl><dt>At</dt><dd>{{.At}}</dd><dt>Page</dt><dd>{{.URL}}</dd>
{{with .Verdict}}<dt>Verdict</dt><dd><span class="{{.}}">{{.}}</span>{{end}}{{with .Rule}} by <code>{{.}}</code>{{end}}{{with .Reason}}: {{.}}</dd>{{end}}
{{with .Action}}<dt>Action</dt><dd><code>{{.}}</code></dd>{{end}}{{with .Thought}}<dt>Thought</dt><dd>{{.}}</dd>{{end}}
{{with .Question}}<dt>Question</dt><dd>{{.}}</dd>{{end}}</dl>
{{with .Observations}}<details><summary>{{len .}} observations</summary><ul>{{range .}}<li>{{.}}</li>{{end}}</ul></details>{{end}}
{{with .Calls}}<details><summary>{{len .}} model calls</summary><ul>{{range .}}<li>{{.}}</li>{{end}}</ul></details>{{end}}
<details><summary>{{len .Events}} events</summary>{{range .Events}}<h3><code>{{.Type}}</code></h3><pre>{{.Data}}</pre>{{end}}</details>
</article>{{end}}
{{.Data}}
</body></html>
`))
