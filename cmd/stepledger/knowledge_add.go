package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/api"
	knowing "github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// addition is what is to be added.
type addition struct {
	knowledge.SourceAdded
	strategy string
	// into is the source files go to, "" for the one of their name.
	into  string
	every time.Duration
}

// addedLine is what a file or an address came to, as the tool prints it.
type addedLine struct {
	Added      string `json:"added"`
	SourceID   string `json:"sourceId"`
	DocumentID string `json:"documentId,omitempty"`
	Version    string `json:"version,omitempty"`
	Unchanged  bool   `json:"unchanged,omitempty"`
}

func (p program) knowledgeAddCmd(whose *whoseKnowledge) *cobra.Command {
	var a addition
	cmd := &cobra.Command{
		Use:   "add FILE|URL...",
		Short: "Add files, pages and sites; a server reads and visits them",
		Long: `Adds files to a source of files, and a source for every address, and prints what each came to.

The same file again changes nothing, nor does an address that is there with the same strategy. A file of the same name with
other bytes is a new version of it. What is there keeps the settings it was first added with.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(a.check(), a.effective(args, cmd.Flags().Changed)); err != nil {
				return err
			}
			return p.withLibrary(cmd.Context(), *whose, func(l librarian) error { return l.add(cmd.Context(), a, args) })
		},
	}
	cmd.Flags().StringVar(&a.strategy, "strategy", string(knowledge.Single), "of addresses: single (this page), sitemap (what the site lists), spider (what links lead to), seen (pages the agent works on)")
	cmd.Flags().StringVar(&a.Name, "name", "", "of the source that is added")
	cmd.Flags().StringVar(&a.into, "source", "", "of files: the source they go to, by id")
	cmd.Flags().StringSliceVar(&a.Domains, "domain", nil, "host patterns of the sites it is about; all that the tenant allows if left out")
	cmd.Flags().StringVar(&a.Language, "language", "", "of documents that declare none, like en or de-AT")
	cmd.Flags().IntVar(&a.MaxPages, "max-pages", knowledge.DefaultMaxPages, "how many pages of a site")
	cmd.Flags().IntVar(&a.MaxDepth, "max-depth", knowledge.DefaultMaxDepth, "how many links from the first page, for spider")
	cmd.Flags().DurationVar(&a.every, "every", 0, "crawl again so long after the end of a crawl, like 24h; 0 for never")
	return cmd
}

// check reads the flags.
func (a *addition) check() error {
	for i, pattern := range a.Domains {
		normal, ok := account.DomainPattern(pattern)
		if !ok {
			return fmt.Errorf("--domain: %q is neither a host nor *. and a domain", pattern)
		}
		a.Domains[i] = normal
	}
	if knowledge.Kind(a.strategy) == knowledge.Upload {
		return errors.New("--strategy: files have none")
	}
	a.EverySeconds = int64(a.every.Seconds())
	return nil
}

// effective refuses flags that would change nothing of what is added.
func (a *addition) effective(all []string, set func(flag string) bool) error {
	links := 0
	for _, one := range all {
		if isLink(one) {
			links++
		}
	}
	refuse := func(why string, flags ...string) error {
		for _, flag := range flags {
			if set(flag) {
				return fmt.Errorf("--%s: %s", flag, why)
			}
		}
		return nil
	}
	if a.into != "" {
		if links > 0 {
			return refuse("files go to a source that is there; an address is a source of its own", "source")
		}
		if err := refuse("the source that --source names is there, and stays as it was added", "name", "domain", "language"); err != nil {
			return err
		}
	}
	if links == 0 {
		return refuse("files are not crawled; it is of addresses", "strategy", "every", "max-pages", "max-depth")
	}
	switch knowledge.Kind(a.strategy) {
	case knowledge.Single:
		return refuse("of an address one page is added unless --strategy says sitemap or spider", "max-pages", "max-depth")
	case knowledge.Sitemap:
		return refuse("only --strategy spider follows links", "max-depth")
	case knowledge.Seen:
		return refuse("pages the agent works on are not crawled", "every", "max-pages", "max-depth")
	}
	return nil
}

// isLink tells an address from the name of a file.
func isLink(fileOrURL string) bool {
	return strings.HasPrefix(fileOrURL, "http://") || strings.HasPrefix(fileOrURL, "https://")
}

// add adds all it can, and says what it could not.
func (l librarian) add(ctx context.Context, a addition, all []string) error {
	var failed []error
	for _, one := range all {
		line, err := l.addOne(ctx, &a, one)
		if err == nil {
			err = l.printJSON(line)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", one, err))
		}
	}
	return errors.Join(failed...)
}

func (l librarian) addOne(ctx context.Context, a *addition, fileOrURL string) (addedLine, error) {
	if isLink(fileOrURL) {
		e := a.SourceAdded
		e.Kind, e.URL = knowledge.Kind(a.strategy), fileOrURL
		added, err := l.source(ctx, e)
		return addedLine{Added: fileOrURL, SourceID: added.Source, Unchanged: added.Unchanged}, err
	}
	body, err := readDocument(fileOrURL)
	if err != nil {
		return addedLine{}, err
	}
	if a.into == "" { // of all files
		added, err := l.source(ctx, knowledge.SourceAdded{Kind: knowledge.Upload, Name: a.Name, Domains: a.Domains, Language: a.Language})
		if err != nil {
			return addedLine{}, err
		}
		a.into = added.Source
	}
	name := filepath.Base(fileOrURL)
	added, err := l.Receive(ctx, knowing.File{
		Tenant: l.tenant, Source: a.into, By: operatorName, Name: name, Media: mime.TypeByExtension(filepath.Ext(name)), Body: body,
	})
	return addedLine{fileOrURL, added.Source, added.Document, added.Version, added.Unchanged}, err
}

// source adds a source unless it is there.
func (l librarian) source(ctx context.Context, e knowledge.SourceAdded) (knowing.Added, error) {
	all, err := l.Sources(ctx, l.tenant)
	if err != nil {
		return knowing.Added{}, err
	}
	e.Tenant, e.By = l.tenant, operatorName
	return l.AddOnce(ctx, e, api.SourcesThere(all))
}

// readDocument reads a file, and of one that is too large no more than shows that it is.
func readDocument(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // whoever runs the tool names the file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, knowledge.MaxBytes+1))
}
