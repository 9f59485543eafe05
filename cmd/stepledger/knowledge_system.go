package main

import (
	"net/netip"
	"path/filepath"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/knowledge/crawl"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// Bounds of the work on knowledge in one process.
const (
	// sourceSlots is how many steps are done at the same time: a page visited, a document
	// read. Each source has one of them at most, and they take turns.
	sourceSlots = 8
	// readSlots is how many documents are read at the same time, each in a process that may
	// take extract.DefaultMemory.
	readSlots = 2
)

// knowledgeSystem is what organisations know: what adds to it, works on it and finds in it.
type knowledgeSystem struct {
	manage knowledge.Manage
	worker knowledge.Worker
	finder knowledge.Finder
	// views reads for tenants, pending for operators.
	views, pending knowledgeview.Queries
	wake           chan struct{}
}

func (s *system) openKnowledge(h hooks) *knowledgeSystem {
	k := &knowledgeSystem{
		views: knowledgeview.Queries{DB: s.reads}, pending: knowledgeview.Queries{DB: s.db}, wake: make(chan struct{}, 1),
	}
	deps := knowledge.Deps{
		Log: s.events, Keys: s.content, Content: s.content, Reader: newDocumentReader(s.cfg), Sites: crawl.Sites{Fetcher: crawl.New(s.cfg.crawling())},
		Embedder: s.embedder(), Clock: s.now, IDs: domain.NewUUID, Hook: h.knowledge, Wake: k.awake,
	}
	k.manage, k.worker = knowledge.Manage{Deps: deps}, knowledge.NewWorker(deps, sourceSlots)
	k.finder = knowledge.Finder{
		Log: s.events, Index: knowledgeIndex{own: k.views, public: knowledgeview.Queries{DB: s.publicReads()}}, Allowed: s.identity.AllowedDomains, Embedder: deps.Embedder,
	}
	return k
}

// erase is what forgets for whoever erases tasks and tenants.
func (s *system) eraseKnowledge() knowledge.Erase {
	return knowledge.Erase{Manage: s.knowledge.manage, Worker: s.knowledge.worker, Feed: s.events}
}

// awake has the work looked for at once.
func (k *knowledgeSystem) awake() {
	select {
	case k.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// crawling are the options of the fetcher. Ports that are configured are asked beside those of
// http and https.
func (c config) crawling() crawl.Options {
	o := crawl.Options{Version: version(), Pause: c.CrawlPause, Ports: []uint16{80, 443}}
	for _, port := range c.CrawlPorts {
		o.Ports = append(o.Ports, uint16(port)) //nolint:gosec // readConfig bounds it
	}
	for _, network := range c.CrawlAllow {
		if p, err := netip.ParsePrefix(network); err == nil { // readConfig has refused others
			o.Allow = append(o.Allow, p)
		}
	}
	return o
}

// extractArg is the first argument with which the program reads one document, for itself.
const extractArg = "extract"

func (c config) sandbox() extract.Sandbox {
	return extract.Sandbox{Args: []string{extractArg}, CacheDir: filepath.Join(c.StateDir, "pdf")}
}
