package knowledge

import "time"

// Command is a command to a source.
type Command interface{ isKnowledgeCommand() }

// Add adds a source, and begins its first crawl.
type Add struct{ SourceAdded }

// Recrawl begins the next generation unless one is running.
type Recrawl struct{ At time.Time }

// Visit says what came of visiting the first page of the frontier.
type Visit struct {
	Generation         int
	URL                string
	Outcome            Outcome
	Code, Reason       string
	ETag, LastModified string
	// Bytes, Size and Media are those of a page that was received.
	Bytes string
	Size  int
	Media string
	// Found are addresses, normalized; Same says that they stand for the page itself, as
	// the target of a redirect does.
	Found []string
	Same  bool
	// Dropped counts further addresses that are not among Found.
	Dropped int
	At      time.Time
}

// FinishCrawl ends the running generation. Failed is why nothing could be visited.
type FinishCrawl struct {
	Generation int
	Failed     string
	At         time.Time
}

// Receive takes a document in. The bytes it has already lead to no event, unless they
// could not be read.
type Receive struct {
	// Key stands for the path in the document's id, so that the path need not be in the
	// stream: "" is the path itself.
	Key   string
	Path  string
	Bytes string
	Size  int
	Media string
	// Phase, Page, Task and Turn: see DocumentReceived.
	Phase Phase
	Page  string
	Task  string
	Turn  int
	By    string
	At    time.Time
}

// Begin begins to read a version. After MaxDeaths it is refused. Trouble says that whoever
// asks knows why the attempt before came to nothing.
type Begin struct {
	Version string
	Trouble bool
	At      time.Time
}

// Progress tells how far reading has come.
type Progress struct {
	Version  string
	Page, Of int
}

// End brings a version to its end. It is one of DocumentIndexed, DocumentEmpty and
// DocumentRefused. If the version is not waited for any more it leads to no event.
type End struct{ Event Event }

// Reread reads documents anew that an older reader has read.
type Reread struct {
	Documents []string
	At        time.Time
}

// RemoveDocument deletes a document.
type RemoveDocument struct {
	Document, By string
	At           time.Time
}

// RemoveTask deletes what was seen in a task.
type RemoveTask struct {
	Task, By string
	At       time.Time
}

// Remove deletes the source.
type Remove struct {
	By string
	At time.Time
}

// Forget notes that keys and bytes of old versions are gone.
type Forget struct {
	Versions []string
	At       time.Time
}

// ForgetSource notes that those of a removed source are gone.
type ForgetSource struct{ At time.Time }

func (Add) isKnowledgeCommand()            {}
func (Recrawl) isKnowledgeCommand()        {}
func (Visit) isKnowledgeCommand()          {}
func (FinishCrawl) isKnowledgeCommand()    {}
func (Receive) isKnowledgeCommand()        {}
func (Begin) isKnowledgeCommand()          {}
func (Progress) isKnowledgeCommand()       {}
func (End) isKnowledgeCommand()            {}
func (Reread) isKnowledgeCommand()         {}
func (RemoveDocument) isKnowledgeCommand() {}
func (RemoveTask) isKnowledgeCommand()     {}
func (Remove) isKnowledgeCommand()         {}
func (Forget) isKnowledgeCommand()         {}
func (ForgetSource) isKnowledgeCommand()   {}
