package archtest

// module is the import path of the repository's root.
const module = "github.com/stepledger/stepledger"

// arrow says which packages of ours a package may import. Patterns: "a/b" is
// that package, "a/*" any package directly below a, "a/..." a and everything
// below. The first row that matches a package holds for it.
type arrow struct {
	from string
	to   []string
}

// An empty right side is a root: the standard library only.
var arrows = []arrow{
	// Values and decisions. Aggregates (task, session, account) meet by id.
	{"domain", nil},
	// How browsers read addresses.
	{"domain/weburl", nil},
	{"domain/page", []string{"domain", "domain/vocabulary", "domain/weburl"}},
	{"domain/account", []string{"domain", "domain/weburl"}},
	{"domain/codec", []string{"domain"}},
	{"domain/usage", []string{"domain", "domain/codec"}},
	{"domain/action", []string{"domain", "domain/page", "domain/usage", "domain/weburl"}},
	// What a control holds, and what it takes.
	{"domain/value", []string{"domain/page"}},
	// What a model is shown names elements as actions do.
	{"domain/prompt", []string{"domain/action", "domain/page", "domain/weburl"}},
	{"domain/reasoning", []string{"domain", "domain/action", "domain/instruction", "domain/page", "domain/plan", "domain/usage", "domain/vocabulary", "domain/weburl"}},
	// Decisions the graph takes without asking anybody.
	{"domain/vocabulary", nil},
	{"domain/secret", []string{"domain/vocabulary"}},
	{"domain/chain", []string{"domain/action", "domain/instruction", "domain/page", "domain/value", "domain/vocabulary"}},
	// What a user says, before any page.
	{"domain/instruction", nil},
	{"domain/slot", []string{"domain/page", "domain/value"}},
	{"domain/complexity", []string{"domain/page", "domain/slot", "domain/vocabulary"}},
	{"domain/plan", []string{"domain", "domain/page", "domain/weburl"}},
	{"domain/critic", []string{"domain/action", "domain/page", "domain/reasoning", "domain/value", "domain/vocabulary"}},
	{"domain/task", []string{"domain", "domain/action", "domain/codec", "domain/instruction", "domain/page", "domain/plan", "domain/reasoning", "domain/secret", "domain/usage"}},
	{"domain/fork", []string{"domain", "domain/codec", "domain/usage"}},
	{"domain/erasure", []string{"domain", "domain/codec"}},
	{"domain/knowledge", []string{"domain", "domain/codec"}},
	{"domain/session", []string{"domain", "domain/codec", "domain/usage"}},
	// On whose behalf something is done: ids in a context, for logs.
	{"domain/scope", []string{"domain"}},

	// Use cases.
	{"commands", []string{"domain/...", "eventstore"}},
	{"commands/interact", []string{"commands", "domain/...", "eventstore"}},
	{"commands/knowledge", []string{"commands", "domain/...", "eventstore"}},
	{"commands/reactions", []string{"commands", "domain/...", "eventstore"}},
	{"commands/replay", []string{"commands", "commands/interact", "domain/...", "eventstore"}},

	// The log.
	{"eventstore", nil},
	{"eventstore/postgres", []string{"eventstore", "eventstore/archive", "internal/pgmigrate", "internal/pgpool"}},
	{"eventstore/*", []string{"eventstore"}},

	// What is read.
	{"projections", []string{"domain/...", "eventstore", "internal/pgmigrate"}},
	{"projections/*", []string{"projections", "domain/...", "eventstore"}},

	// HTTP knows use cases and read models, no adapter and no log.
	{"api", []string{"api/...", "commands/...", "projections/...", "domain/..."}},
	{"api/...", []string{"api/...", "commands/...", "projections/...", "domain/..."}},

	// Adapters: the domain, the port they serve, never each other.
	{"internal/llm", nil},
	{"internal/llm/wire", []string{"internal/llm"}},
	{"internal/llm/*", []string{"internal/llm", "internal/llm/wire"}},
	{"internal/reason", []string{"domain/..."}},
	{"internal/reason/model", []string{"domain/...", "internal/llm"}},
	// The rooms of the rules: each knows those below it.
	{"internal/reason/rules", []string{
		"domain/...", "internal/reason/rules/correct", "internal/reason/rules/act", "internal/reason/rules/verdict", "internal/reason/rules/text",
		"internal/reason/rules/lexicon", "internal/reason/rules/do",
	}},
	{"internal/reason/rules/correct", []string{"domain/...", "internal/reason/rules/act", "internal/reason/rules/do", "internal/reason/rules/verdict", "internal/reason/rules/text"}},
	// The acting half: act carries out a task by its steps (do) or as a form; do finds
	// what is meant on the page (ground), and looks for what is not there (explore).
	{"internal/reason/rules/act", []string{
		"domain/...", "internal/reason/rules/do", "internal/reason/rules/ground", "internal/reason/rules/text", "internal/reason/rules/lexicon", "internal/reason/rules/words",
	}},
	{"internal/reason/rules/do", []string{"domain/...", "internal/reason/rules/explore", "internal/reason/rules/ground", "internal/reason/rules/text", "internal/reason/rules/words"}},
	{"internal/reason/rules/explore", []string{"domain/...", "internal/reason/rules/ground", "internal/reason/rules/text", "internal/reason/rules/words"}},
	{"internal/reason/rules/ground", []string{"domain/...", "internal/reason/rules/text", "internal/reason/rules/words"}},
	{"internal/reason/rules/verdict", []string{"domain/...", "internal/reason/rules/text", "internal/reason/rules/lexicon"}},
	{"internal/reason/rules/text", []string{"domain/...", "internal/reason/rules/lexicon"}},
	{"internal/reason/rules/lexicon", []string{"domain/vocabulary"}},
	// The words of the acting half.
	{"internal/reason/rules/words", nil},
	{"internal/dom", []string{"domain/...", "internal/dom/markup", "internal/reason/rules/lexicon"}},
	{"internal/dom/markup", nil},
	{"internal/dom/snapshot", []string{"domain/...", "internal/dom"}},
	// What adapters of Postgres have in common: pools of connections with bounds, and
	// the migration of a schema.
	{"internal/pgpool", nil},
	{"internal/pgmigrate", nil},
	{"internal/content", []string{"domain/...", "internal/pgmigrate", "internal/pgpool"}},
	{"internal/identity", []string{"domain/...", "internal/pgmigrate", "internal/pgpool"}},
	{"internal/billing", []string{"domain/...", "internal/pgmigrate", "internal/pgpool"}},
	{"internal/browser", []string{"domain/...", "internal/debian"}},
	// A task done from beginning to end, by the client that drives Chromium.
	{"internal/runner", []string{"domain/...", "internal/browser"}},
	{"internal/search/*", []string{"domain/..."}},
	// Fetching what is known: links are read as browsers read them.
	{"internal/knowledge/crawl", []string{"domain/..."}},
	// Bytes become text.
	{"internal/knowledge/extract", []string{"domain/..."}},
	{"internal/liveness", nil},
	{"internal/doctor", nil},
	{"internal/consumer", []string{"eventstore", "eventstore/feed", "internal/pgmigrate"}},
	{"internal/publish", []string{"domain/account", "eventstore/feed", "internal/pgpool"}},
	{"internal/trace", []string{"domain/...", "eventstore"}},
	{"internal/observe", []string{"domain/...", "commands", "eventstore", "internal/llm"}},
	{"internal/pgembed", []string{"internal/debian"}},
	{"internal/debian", nil},
	{"internal/demoapp", nil},
	// Tests of what deploy/ ships, a module of its own.
	{"deploy/check", nil},

	// The verdict set measures them together, and stands beside the wiring for it: a
	// client's recording, the API's reading of it, the turn, the rules.
	{"cmd/internal/packed", []string{}},
	{"cmd/internal/verdicts", []string{"domain/...", "cmd/internal/packed", "eventstore/memory", "commands/interact", "api", "internal/dom", "internal/reason/rules", "internal/reason/rules/verdict"}},
	{"cmd/internal/verdicts/record", []string{"domain/...", "cmd/internal/verdicts", "internal/browser", "internal/dom", "internal/demoapp"}},
	// The agent is measured from outside: by the client, over HTTP.
	{"cmd/internal/agentbench", []string{"domain/instruction", "domain/action", "internal/browser", "internal/runner"}},

	// Wiring sees everything but the test helpers.
	{"cmd/...", []string{"..."}},
}

// home says where a library lives: the packages whose files may import it.
// Its types never leave them through a port.
type home struct {
	library string // import path prefix
	in      []string
}

// adaptersOfPostgres speak SQL.
var adaptersOfPostgres = []string{
	"eventstore/postgres", "projections/...", "internal/content", "internal/identity", "internal/billing", "internal/liveness",
	"internal/consumer/...", "internal/publish", "internal/pgembed", "internal/pgmigrate", "internal/pgpool", "internal/pgtest", "internal/bouncertest", "internal/leaktest", "internal/observe", "internal/doctor", "cmd/...",
}

var homes = []home{
	{"github.com/jackc/pgx/v5", adaptersOfPostgres},
	{"github.com/pressly/goose/v3", []string{"internal/pgmigrate"}},
	{"github.com/EventStore/EventStore-Client-Go/v4", []string{"eventstore/esdb", "eventstore/esdbtest"}},
	// Segments of the archive, and where they lie.
	{"github.com/parquet-go/parquet-go", []string{"eventstore/archive"}},
	{"github.com/minio/minio-go/v7", []string{"eventstore/archive"}},
	{"google.golang.org/grpc", []string{"eventstore/esdb", "eventstore/esdbtest"}},
	{"google.golang.org/protobuf", []string{"eventstore/esdb", "eventstore/esdbtest", "internal/trace/..."}},
	{"github.com/google/uuid", []string{"eventstore/*"}},
	{"github.com/ThreeDotsLabs/watermill", []string{"eventstore/feed", "internal/publish", "cmd/..."}},
	// Publishers for other systems: three brokers, one package.
	{"github.com/ThreeDotsLabs/watermill-kafka/v3", []string{"internal/publish"}},
	{"github.com/ThreeDotsLabs/watermill-nats/v2", []string{"internal/publish"}},
	{"github.com/ThreeDotsLabs/watermill-sql/v4", []string{"internal/publish"}},
	{"github.com/IBM/sarama", []string{"internal/publish"}},
	{"github.com/nats-io/nats.go", []string{"internal/publish"}},
	{"github.com/go-chi/chi/v5", []string{"api/...", "cmd/..."}},
	{"github.com/danielgtaylor/huma/v2", []string{"api/...", "cmd/..."}},
	{"github.com/PuerkitoBio/goquery", []string{"internal/dom"}},
	// Unicode forms: what comes in is composed where it is read, a page and what its
	// user writes. Words that are searched for are compared without marks.
	{"golang.org/x/text/unicode/norm", []string{"api", "internal/dom", "internal/knowledge/extract", "projections/knowledge"}},
	// The benchmark of a turn, in cmd, measures against one bare parse.
	{"golang.org/x/net/html", []string{"internal/dom/...", "internal/knowledge/...", "cmd/..."}},
	// Crawlers: one form of a host's name, and which addresses are public.
	{"golang.org/x/net/idna", []string{"internal/knowledge/crawl"}},
	{"code.dny.dev/ssrf", []string{"internal/knowledge/crawl"}},
	{"github.com/chromedp", []string{"internal/browser"}},
	{"google.golang.org/genai", []string{"internal/llm/gemini"}},
	{"github.com/google/generative-ai-go", []string{"internal/llm/generativeai"}},
	{"google.golang.org/api", []string{"internal/llm/generativeai"}},
	{"github.com/openai/openai-go", []string{"internal/llm/openai"}},
	{"github.com/alexedwards/argon2id", []string{"internal/identity"}},
	{"github.com/klauspost/compress", []string{"internal/content", "internal/leaktest", "cmd/internal/packed", "api/coding"}},
	{"go.opentelemetry.io/proto/slim/otlp", []string{"internal/trace/..."}},
	{"github.com/prometheus/client_golang", []string{"internal/observe", "cmd/..."}},
	{"github.com/getsentry/sentry-go", []string{"internal/observe"}},
	{"github.com/spf13/cobra", []string{"cmd/..."}},
	// The debugging commands as tools of a model.
	{"github.com/modelcontextprotocol/go-sdk", []string{"cmd/..."}},
	// A password that is typed is not shown.
	{"golang.org/x/term", []string{"cmd/..."}},
	// Readers of documents; what they read is in a process of its own.
	{"codeberg.org/readeck/go-readability/v2", []string{"internal/knowledge/extract"}},
	{"github.com/gogs/chardet", []string{"internal/knowledge/extract"}},
	{"github.com/klippa-app/go-pdfium", []string{"internal/knowledge/extract"}},
	{"github.com/tetratelabs/wazero", []string{"internal/knowledge/extract"}}, // what the PDF engine runs on
	{"github.com/xuri/excelize/v2", []string{"internal/knowledge/extract"}},
	{"github.com/yuin/goldmark", []string{"internal/knowledge/extract"}},
	{"go.yaml.in/yaml/v3", []string{"internal/knowledge/extract", "deploy/check"}},
	{"golang.org/x/text", []string{"internal/knowledge/extract"}}, // charsets and languages
	// Goroutines that end together belong to whoever starts them.
	{"golang.org/x/sync", []string{"commands/...", "projections/...", "eventstore/*", "internal/...", "api/...", "cmd/..."}},
}

// testLibraries serve tests, and nothing else may import them: they would end
// up in the binary.
var testLibraries = []string{
	"testing", // with testing/fstest and the like
	"net/http/httptest",
	"github.com/google/go-cmp",
	"pgregory.net/rapid",
	"github.com/anishathalye/porcupine",
	"github.com/nats-io/nats-server/v2", // a broker in the test's process
	"github.com/twmb/franz-go",          // with kfake, another
	"github.com/johannesboyne/gofakes3", // object storage in the test's process
	"github.com/evanw/esbuild",          // bundles TypeScript that is tested in a browser
	"github.com/blevesearch/bleve/v2",   // another ranking to compare with
	// What reads the files of deploy/, in the module deploy/check.
	"github.com/prometheus/prometheus", "github.com/prometheus/common", "github.com/moby/buildkit", "github.com/google/jsonschema-go",
}
