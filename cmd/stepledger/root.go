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
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(out)
	root.SetErr(errOut)
	root.AddCommand(p.serveCmd(), p.runCmd(), p.demoCmd(), p.taskCmd(), p.usageCmd(), p.pricesCmd(), p.skillsCmd(), p.calibrationCmd(), p.rebuildCmd(),
		p.projectionCmd(), p.eventsCmd(), p.reactionsCmd(), p.tenantCmd(), p.userCmd(), p.auditCmd(), p.mcpCmd(), p.storeCmd(), p.corpusCmd(), p.explainCmd(), p.verdictsCmd(), p.agentCmd())
	return root
}

// config reads the settings and makes the logger they ask for.
func (p program) config() (config, *slog.Logger, error) {
	cfg, err := readConfig(p.env)
	log := slog.New(slog.NewTextHandler(p.errOut, &slog.HandlerOptions{Level: cfg.LogLevel}))
	return cfg, log, err
}
