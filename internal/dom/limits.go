package dom

// Caps on what one page yields. Pages are hostile until proven otherwise; with
// these the reader's time and memory are linear in the size of the input.
const (
	// maxElements is five times the largest of 130 real articles (3,874).
	maxElements = 20_000
	// maxName is where clients cut names too (spec §9: 100 characters), so that
	// the names of a tree and of its HTML agree.
	maxName = 100
	// maxNameText is how many bytes are put together for one name before it is cut:
	// a hundred characters take at most four bytes each.
	maxNameText = 4 * maxName
	// maxLabels of one field.
	maxLabels = 16
	// maxGroup bounds the name of a form, row or region.
	maxGroup = 60
	// maxValue bounds values of fields; longer ones are compared by their start.
	maxValue = 500
	// maxID is far above any id a client gives.
	maxID = 200
	// maxRole is above the longest ARIA role ("menuitemcheckbox").
	maxRole = 30
	// maxScrollable containers of one page.
	maxScrollable = 20
	// maxLayers over one page: a dialog over a dialog is rare.
	maxLayers = 20
	// maxTokens and maxIdentifier bound what is read of authors' names, maxGuessed
	// the words of a guessed name.
	maxTokens     = 8
	maxIdentifier = 60
	maxGuessed    = 4
	// maxHref bounds addresses; data: URLs are dropped.
	maxHref = 500
	// maxBound is longer than any number or date that bounds an input.
	maxBound = 40
	// maxOptions of one select: a list of countries has 250.
	maxOptions = 400
	// maxAllOptions of the whole page.
	maxAllOptions = 20_000
	// maxAlerts and maxAlertText bound the messages of a page. A box recognised by
	// its class with a longer text is no message but a part of the page.
	maxAlerts    = 20
	maxAlertText = 300
	// maxHeadings is a table of contents, not an index.
	maxHeadings = 60
	// maxText bounds the text that can be looked up, shown and quoted as a proof: six
	// times the 8,000 characters the specification shows a model.
	maxText = 48_000
	// maxLanguage is how much of it tells the language.
	maxLanguage = 16_000
	// maxTitle of a page.
	maxTitle = 200
	// maxDepth is how deep markup is kept where the parser refuses the document
	// as a whole (it allows 512 open elements).
	maxDepth = 200
	// maxStyle and maxRules are how much of a document's style sheets is read, and
	// maxNesting how deep (bytes; rules that matter to names; at-rules).
	maxStyle   = 500_000
	maxRules   = 4_000
	maxNesting = 8
	// visitsPerNode bounds how often names and groups may visit nodes again: real
	// pages need fewer than three visits per node.
	visitsPerNode = 32
	// rulesPerNode bounds the same for the rules of style sheets.
	rulesPerNode = 64
)
