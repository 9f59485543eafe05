package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/api"
	knowing "github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/weburl"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// librarian is the library as commands use it, for one tenant.
type librarian struct {
	program
	api.Library
	find   api.Knowledge
	tenant string
}

// whoseKnowledge are the flags that name the tenant.
type whoseKnowledge struct {
	tenant string
	public bool
}

func (p program) knowledgeCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "knowledge", Short: "Add files and sites to what a tenant or everybody knows, list and remove them, and search"}
	whose := &whoseKnowledge{}
	cmd.PersistentFlags().StringVar(&whose.tenant, "tenant", "", "whose it is, by id or name")
	cmd.PersistentFlags().BoolVar(&whose.public, "public", false, "what is known to everybody")
	cmd.MarkFlagsMutuallyExclusive("tenant", "public")
	cmd.AddCommand(p.knowledgeAddCmd(whose), p.knowledgeListCmd(whose), p.knowledgeStatusCmd(whose), p.knowledgeCrawlCmd(whose), p.knowledgeRemoveCmd(whose), p.knowledgeSearchCmd(whose))
	return cmd
}

// withLibrary builds the system for a command about what is known. The read models are
// brought to the end of the log first, be there a server at work or none.
func (p program) withLibrary(ctx context.Context, whose whoseKnowledge, do func(librarian) error) error {
	if whose.tenant == "" && !whose.public {
		return errors.New("whose knowledge? name a --tenant, or say --public")
	}
	return p.withSystem(ctx, func(s *system) (err error) {
		l := librarian{program: p, tenant: knowledge.PublicTenant}
		if !whose.public {
			if l.tenant, err = s.identity.FindTenant(ctx, whose.tenant); err != nil {
				return err
			}
		}
		l.Library, l.find = s.knowledge.forOperators()
		if err := s.runner.CatchUp(ctx); err != nil {
			return err
		}
		return do(l)
	})
}

func (p program) knowledgeListCmd(whose *whoseKnowledge) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources, added last first, and how far they have come",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error { return l.list(cmd.Context()) })
		},
	}
}

func (l librarian) list(ctx context.Context) error {
	all, err := l.Sources(ctx, l.tenant)
	if err != nil {
		return err
	}
	return l.table("SOURCE\tKIND\tSTATUS\tINDEXED\tOPEN\tEMPTY\tREFUSED\tADDED\tNAME", func(line func(cells ...any)) {
		for _, k := range all {
			e := api.NewSourceEntry(k)
			n := e.Documents
			line(e.SourceID, e.Kind, e.Status, n.Indexed, n.Waiting+n.Reading, n.Empty, n.Refused, day(e.AddedAt), e.Name)
		}
	})
}

func (p program) knowledgeStatusCmd(whose *whoseKnowledge) *cobra.Command {
	var status string
	cmd := &cobra.Command{
		Use:   "status SOURCE",
		Short: "Print a source and its documents, a JSON object each: how they ended and why",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error { return l.status(cmd.Context(), args[0], knowledge.Status(status)) })
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only documents that are waiting, reading, indexed, empty, refused, removed or withdrawn")
	return cmd
}

func (l librarian) status(ctx context.Context, source string, status knowledge.Status) error {
	k, err := l.Source(ctx, l.tenant, source)
	if err != nil {
		return err
	}
	if err := l.printJSON(api.NewSourceEntry(k)); err != nil {
		return err
	}
	f := knowledgeview.Filter{State: api.StateOf(status), Limit: knowledgeview.MaxDocuments}
	for {
		page, more, err := l.Documents(ctx, l.tenant, source, f)
		if err != nil {
			return err
		}
		for _, d := range page {
			if err := l.printJSON(api.NewDocumentEntry(d)); err != nil {
				return err
			}
			f.After = &knowledgeview.Mark{ReceivedAt: d.ReceivedAt, ID: d.ID}
		}
		if !more {
			return nil
		}
	}
}

func (p program) knowledgeCrawlCmd(whose *whoseKnowledge) *cobra.Command {
	return &cobra.Command{
		Use:   "crawl SOURCE",
		Short: "Visit the pages of a source anew, unless that is being done; a server does it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error {
				return l.crawl(cmd.Context(), args[0])
			})
		},
	}
}

// doneLine is what was done to a source or a document of it, as the tool prints it.
type doneLine struct {
	Done       string `json:"done"`
	SourceID   string `json:"sourceId"`
	DocumentID string `json:"documentId,omitempty"`
}

func (l librarian) crawl(ctx context.Context, source string) error {
	if _, err := l.Recrawl(ctx, l.tenant, operatorName, source); err != nil {
		return err
	}
	return l.printLine(doneLine{Done: "crawling", SourceID: source})
}

func (p program) knowledgeRemoveCmd(whose *whoseKnowledge) *cobra.Command {
	return &cobra.Command{
		Use:   "remove SOURCE [DOCUMENT]",
		Short: "Remove a source, or one document of it, for ever: found no more at once, erased by a server",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error { return l.remove(cmd.Context(), args) })
		},
	}
}

func (l librarian) remove(ctx context.Context, ids []string) (err error) {
	done := doneLine{Done: "removed", SourceID: ids[0]}
	if len(ids) == 1 {
		_, err = l.Remove(ctx, l.tenant, operatorName, done.SourceID)
	} else {
		done.DocumentID = ids[1]
		_, err = l.RemoveDocument(ctx, l.tenant, operatorName, done.SourceID, done.DocumentID)
	}
	if err != nil {
		return err
	}
	return l.printLine(done)
}

// printLine prints a JSON object on a line of its own.
func (l librarian) printLine(v any) error { return json.NewEncoder(l.out).Encode(v) }

func (p program) knowledgeSearchCmd(whose *whoseKnowledge) *cobra.Command {
	var q knowing.Wanted
	cmd := &cobra.Command{
		Use:   "search QUESTION",
		Short: "Print what is found, best first, a JSON object each, with why",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Text = args[0]
			if q.URL != "" && !weburl.IsWeb(q.URL) {
				return fmt.Errorf("--url: %q is no absolute address of http or https", q.URL)
			}
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error { return l.search(cmd.Context(), q) })
		},
	}
	cmd.Flags().StringVar(&q.URL, "url", "", "as asked on this page: the tenant's own only where one of its domains stands for the site")
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "how many")
	return cmd
}

func (l librarian) search(ctx context.Context, q knowing.Wanted) error {
	q.Tenant, q.Explain = l.tenant, true
	found, err := l.find.Find(ctx, q)
	if err != nil {
		return err
	}
	for _, h := range api.NewSearchData(found).Hits {
		if err := l.printJSON(h); err != nil {
			return err
		}
	}
	return nil
}
