package main

import (
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// program is what every subcommand starts from.
type program struct {
	env    func(string) string
	out    io.Writer
	errOut io.Writer
	in     io.Reader // of run; nil elsewhere
}

func newRoot(env func(string) string, out, errOut io.Writer) *cobra.Command {
	p := program{env: env, out: out, errOut: errOut}
	root := &cobra.Command{
		Use:           "stepledger",
		Short:         "The event-sourced brain of a browser agent",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(out)
	root.SetErr(errOut)
	root.AddCommand(p.serveCmd(), p.runCmd(), p.demoCmd(), p.taskCmd(), p.usageCmd(), p.pricesCmd(), p.skillsCmd(), p.calibrationCmd(), p.rebuildCmd(),
		p.projectionCmd(), p.eventsCmd(), p.reactionsCmd(), p.tenantCmd(), p.userCmd(), p.auditCmd(), p.mcpCmd(), p.storeCmd(), p.corpusCmd(), p.explainCmd(), p.verdictsCmd(), p.agentCmd(),
		p.retentionCmd(), p.archiveCmd(), p.eraseCmd(), p.keysCmd(), p.extractCmd(), p.knowledgeCmd(), p.migrateCmd(), p.doctorCmd())
	return root
}

// newLogger writes the format that is configured, at the level that holds at the time.
func newLogger(cfg config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.Level}
	if cfg.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// config reads the settings and makes the logger they ask for.
func (p program) config() (config, *slog.Logger, error) {
	cfg, err := readConfig(p.env)
	return cfg, newLogger(cfg, p.errOut), err
}
