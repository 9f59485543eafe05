package rules

import (
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

// Short names for the builders of pages.
var (
	elem     = rulestest.Element
	value    = rulestest.Value
	group    = rulestest.Group
	typ      = rulestest.Type
	href     = rulestest.Href
	withID   = rulestest.ID
	checked  = rulestest.Checked
	state    = rulestest.State
	options  = rulestest.Options
	pageOf   = rulestest.Page
	required = rulestest.Required
	hidden   = rulestest.Hidden
	disabled = rulestest.Disabled
	occluded = rulestest.Occluded
	secret   = rulestest.Secret
	popup    = rulestest.Popup
)

// pageBuilder is a page to be finished with ids, keys and hashes.
type pageBuilder page.Page

func (b pageBuilder) done() page.Page { return rulestest.Finish(page.Page(b)) }

func yes() *bool { return new(true) }
func nay() *bool { return new(false) }
