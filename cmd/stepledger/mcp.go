package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/tasks"
)

func (p program) mcpCmd() *cobra.Command {
	var tenant string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the commands that look into tasks or replay them as tools of the Model Context Protocol, over stdin and stdout; none of them writes",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				d, err := s.debugger(cmd.Context(), tenant)
				if err != nil {
					return err
				}
				err = d.server().Run(cmd.Context(), &mcp.IOTransport{Reader: io.NopCloser(cmd.InOrStdin()), Writer: keptOpen{p.out}})
				if cmd.Context().Err() == nil {
					return err
				}
				return nil // it was told to end
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "tell of this tenant only, by id or name; of all without it")
	return cmd
}

// keptOpen is a writer that whoever writes to it does not close.
type keptOpen struct{ io.Writer }

// Close implements io.Closer.
func (keptOpen) Close() error { return nil }

// debugger answers the tools by the queries that the commands and HTTP use. It writes
// nothing.
type debugger struct {
	*system
	// tenant is the only one it tells of, called name; "" is all of them.
	tenant, name string
}

func (s *system) debugger(ctx context.Context, tenant string) (d debugger, err error) {
	d = debugger{system: s, name: tenant}
	if tenant != "" {
		d.tenant, err = s.identity.FindTenant(ctx, tenant)
	}
	return d, err
}

const instructions = "Stepledger decides the actions of a browser agent and keeps every event of its tasks. These tools tell what happened to a task and why; " +
	"none of them changes anything. A way to a fault: task_list with status failed; task_show; task_show of the first turn with a failed verdict or the end; " +
	"then task_show of the turn its verdict is of, task_page_text, task_call, task_events, task_diff or task_compare with a task that went well. "

// server has the tools.
func (d debugger) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "stepledger", Version: version()}, &mcp.ServerOptions{
		Instructions: instructions + isData, Capabilities: &mcp.ServerCapabilities{},
	})
	d.addLooks(s)
	d.addMoments(s)
	d.addReplays(s)
	d.addReports(s)
	return s
}

// of is the tenant a task belongs to. A task of a tenant that is not told of is not there.
func (d debugger) of(ctx context.Context, id string) (string, error) {
	tenant, err := d.tenantOf(ctx, id)
	if errors.Is(err, errNoTask) || err == nil && d.tenant != "" && tenant != d.tenant {
		return "", history.NotFound()
	}
	return tenant, err
}

// tenantNamed is the id of a tenant that is asked for, by id or name. Without a name it
// is the only one that is told of, or "" for all.
func (d debugger) tenantNamed(ctx context.Context, name string) (string, error) {
	switch {
	case name == "" || d.tenant != "" && (name == d.tenant || name == d.name):
		return d.tenant, nil
	case d.tenant != "":
		return "", domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no tenant %s", name)
	}
	return d.identity.FindTenant(ctx, name)
}

// refs are the tasks named, or the newest.
func (d debugger) refs(ctx context.Context, ids []string, tenant string, last int) (refs []replay.Ref, err error) {
	for _, id := range ids {
		of, err := d.of(ctx, id)
		if err != nil {
			return nil, err
		}
		refs = append(refs, replay.Ref{Tenant: of, ID: id})
	}
	if len(ids) > 0 {
		return refs, nil
	}
	if tenant, err = d.tenantNamed(ctx, tenant); err != nil {
		return nil, err
	}
	newest, err := tasks.Queries{DB: d.db}.Newest(ctx, tenant, last)
	for _, r := range newest {
		refs = append(refs, replay.Ref{Tenant: r.Tenant, ID: r.ID})
	}
	return refs, err
}
