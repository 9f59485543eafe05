package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/internal/identity"
)

// config is every setting with its default. Secrets print as ***.
type config struct {
	// Env is where the settings come from, for a fork to change some of them.
	Env environment
	// Addr is where HTTP is served.
	Addr string
	// DatabaseURL of the Postgres to use; empty starts a private one.
	DatabaseURL account.Secret
	// DirectURL leads to the server itself where DatabaseURL leads to a pooler: for
	// listening, locks and migrations. Empty is DatabaseURL.
	DirectURL account.Secret
	// ReadURL leads to a replica for lists; empty is DatabaseURL.
	ReadURL account.Secret
	// Connections are the most this process has to the database.
	Connections int
	// Roles are what this process does.
	Roles roles
	// Migrate brings the schema up to date at the start; else one that is too old is
	// refused.
	Migrate bool
	// EventStoreURL of the EventStoreDB or KurrentDB that keeps the log; empty keeps
	// it in Postgres, like everything else.
	EventStoreURL account.Secret
	// StateDir holds what this installation generates: the master key and the demo
	// password.
	StateDir string
	// PostgresDir is the private server's data directory; empty is the default
	// of internal/pgembed.
	PostgresDir string
	// MasterKey wraps all other keys; empty makes one in StateDir.
	MasterKey account.Secret
	// OldMasterKeys still open what was wrapped before MasterKey, until keys rotate has
	// wrapped it anew.
	OldMasterKeys []account.Secret
	// Erasures is the file that lists what was erased, for restored backups.
	Erasures string
	// Archive is where events of what has ended go.
	Archive archiveConfig
	// Demo creates the demo tenant and prints its login.
	Demo bool
	// MetricsAddr is where Prometheus may read; empty is nowhere.
	MetricsAddr string
	// PublishURL is a broker through which other systems follow task events; empty
	// is none. See internal/publish.
	PublishURL account.Secret
	Tracing    tracingConfig
	// SentryDSN is where errors are reported; empty is nowhere.
	SentryDSN account.Secret

	Models modelsConfig
	// TavilyKey allows searches of the web; empty is none. TavilyURL is another
	// endpoint with Tavily's protocol.
	TavilyKey account.Secret
	TavilyURL string
	// OneCall: where a model judges an action, its answer decides the next one too.
	OneCall bool

	// Origins may call from a browser. None is none, but any extension in a demo.
	Origins        []string
	TrustedProxies []string
	// LoginLifetime is how long a login lasts.
	LoginLifetime time.Duration
	LogLevel      slog.Level
	// Level is the level while the process runs; it starts as LogLevel.
	Level *slog.LevelVar
	// LogJSON: logs are lines of JSON, not text.
	LogJSON bool
	// Drain bounds the wait for running requests at the end.
	Drain  time.Duration
	Limits task.Limits
	// DebugAnswers: callers may ask for what helps to find a fault.
	DebugAnswers bool
	// RateLimits are the requests a minute by tier.
	RateLimits identity.Tiers
	// CrawlAllow are networks that are crawled though they are not public, CrawlPorts those
	// of sites, and CrawlPause is the least time between two requests to a host.
	CrawlAllow []string
	CrawlPorts []int
	CrawlPause time.Duration
}

// env reads settings and collects errors.
type env struct {
	get    func(string) string
	faults []error
}

func (e *env) text(name, def string) string {
	if v := strings.TrimSpace(e.get(name)); v != "" {
		return v
	}
	return def
}

func (e *env) list(name string) []string {
	return strings.FieldsFunc(e.get(name), func(r rune) bool { return r == ',' || r == ' ' })
}

func (e *env) secrets(name string) (all []account.Secret) {
	for _, v := range e.list(name) {
		all = append(all, account.Secret(v))
	}
	return all
}

func (e *env) number(name string, def float64) float64 {
	v := e.text(name, "")
	if v == "" {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || f < 0 || f > 2 {
		e.faults = append(e.faults, fmt.Errorf("%s: %q is not a number from 0 to 2", name, v))
	}
	return f
}

func (e *env) count(name string, def int) int {
	v := e.text(name, "")
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		e.faults = append(e.faults, fmt.Errorf("%s: %q is not a number from 1", name, v))
	}
	return n
}

func (e *env) flag(name string) bool {
	v := e.text(name, "false")
	on, err := strconv.ParseBool(v)
	if err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %q is neither true nor false", name, v))
	}
	return on
}

func (e *env) level(name string) (level slog.Level) {
	if err := level.UnmarshalText([]byte(e.text(name, "info"))); err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %w", name, err))
	}
	return level
}

// oneOf reads a setting that has one of some values; the first is the default.
func (e *env) oneOf(name string, values ...string) string {
	v := e.text(name, values[0])
	if !slices.Contains(values, v) {
		e.faults = append(e.faults, fmt.Errorf("%s: %q is none of %s", name, v, strings.Join(values, ", ")))
	}
	return v
}

func (e *env) eventStore(name string) account.Secret {
	v := e.text(name, "")
	if v == "" {
		return ""
	}
	if err := esdb.CheckURL(v); err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %w", name, err))
	}
	return account.Secret(v)
}

func (e *env) rateLimits(name string) identity.Tiers {
	tiers, err := identity.ParseTiers(e.text(name, ""))
	if err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %w", name, err))
	}
	return tiers
}

// environment gives settings by name.
type environment func(name string) string

// String keeps the settings themselves, secrets among them, out of logs.
func (environment) String() string { return "environment" }

// readConfig reads the environment. The error names every invalid setting.
func readConfig(get func(string) string) (config, error) {
	e := &env{get: get}
	limits := task.DefaultLimits
	limits.MaxSteps = e.count("STEPLEDGER_MAX_STEPS", limits.MaxSteps)
	limits.MaxCorrections = e.count("STEPLEDGER_MAX_CORRECTIONS", limits.MaxCorrections)
	limits.MaxConsecutiveFailures = e.count("STEPLEDGER_MAX_FAILURES", limits.MaxConsecutiveFailures)
	limits.MaxIdle = e.count("STEPLEDGER_MAX_IDLE", limits.MaxIdle)
	limits.MaxQuestions = e.count("STEPLEDGER_MAX_QUESTIONS", limits.MaxQuestions)
	limits.MaxTokens = int64(e.count("STEPLEDGER_MAX_TOKENS", int(limits.MaxTokens)))
	state := e.text("STEPLEDGER_STATE_DIR", e.stateDir())
	c := config{
		Env:            get,
		Addr:           e.text("STEPLEDGER_ADDR", "127.0.0.1:8484"),
		DatabaseURL:    account.Secret(e.text("DATABASE_URL", "")),
		DirectURL:      account.Secret(e.text("DATABASE_DIRECT_URL", "")),
		ReadURL:        account.Secret(e.text("DATABASE_READ_URL", "")),
		Connections:    e.connections("STEPLEDGER_DATABASE_CONNECTIONS"),
		Roles:          e.roles("STEPLEDGER_ROLES"),
		Migrate:        e.oneOf("STEPLEDGER_MIGRATE", "on", "off") == "on",
		EventStoreURL:  e.eventStore("EVENTSTORE_URL"),
		StateDir:       state,
		PostgresDir:    e.text("STEPLEDGER_POSTGRES_DIR", ""),
		MasterKey:      account.Secret(e.text("STEPLEDGER_MASTER_KEY", "")),
		OldMasterKeys:  e.secrets("STEPLEDGER_MASTER_KEYS_OLD"),
		Erasures:       e.text("STEPLEDGER_ERASURES", filepath.Join(state, "erasures.jsonl")),
		Archive:        e.archive(),
		MetricsAddr:    e.text("STEPLEDGER_METRICS_ADDR", ""),
		PublishURL:     account.Secret(e.text("STEPLEDGER_PUBLISH_URL", "")),
		Tracing:        e.tracing(),
		SentryDSN:      account.Secret(e.text("SENTRY_DSN", "")),
		Models:         e.models(),
		TavilyKey:      account.Secret(e.text("TAVILY_API_KEY", "")),
		TavilyURL:      e.text("TAVILY_BASE_URL", ""),
		OneCall:        e.flag("STEPLEDGER_ONE_CALL"),
		Origins:        e.origins("STEPLEDGER_CORS_ORIGINS"),
		TrustedProxies: e.networks("STEPLEDGER_TRUSTED_PROXIES"),
		LogLevel:       e.level("LOG_LEVEL"),
		Level:          new(slog.LevelVar),
		LoginLifetime:  time.Duration(e.count("STEPLEDGER_LOGIN_DAYS", 7)) * 24 * time.Hour,
		LogJSON:        e.oneOf("STEPLEDGER_LOG_FORMAT", "text", "json") == "json",
		Drain:          time.Duration(e.count("STEPLEDGER_DRAIN_SECONDS", 30)) * time.Second,
		Limits:         limits,
		DebugAnswers:   e.flag("STEPLEDGER_DEBUG_ANSWERS"),
		RateLimits:     e.rateLimits("STEPLEDGER_RATE_LIMITS"),
		CrawlAllow:     e.networks("STEPLEDGER_CRAWL_ALLOW"),
		CrawlPorts:     e.ports("STEPLEDGER_CRAWL_PORTS"),
		CrawlPause:     time.Duration(e.count("STEPLEDGER_CRAWL_PAUSE_MS", 1000)) * time.Millisecond,
	}
	c.Level.Set(c.LogLevel)
	return c, errors.Join(e.faults...)
}

// forReplay are the settings a replay decides by, by the names of their variables.
func (c config) forReplay() map[string]string {
	return map[string]string{
		"STEPLEDGER_MAX_STEPS":       strconv.Itoa(c.Limits.MaxSteps),
		"STEPLEDGER_MAX_CORRECTIONS": strconv.Itoa(c.Limits.MaxCorrections),
		"STEPLEDGER_MAX_FAILURES":    strconv.Itoa(c.Limits.MaxConsecutiveFailures),
		"STEPLEDGER_MAX_IDLE":        strconv.Itoa(c.Limits.MaxIdle),
		"STEPLEDGER_MAX_QUESTIONS":   strconv.Itoa(c.Limits.MaxQuestions),
		"STEPLEDGER_MAX_TOKENS":      strconv.FormatInt(c.Limits.MaxTokens, 10),
		"STEPLEDGER_PAGE_TOKENS":     strconv.Itoa(c.Models.PageTokens),
		"STEPLEDGER_ONE_CALL":        strconv.FormatBool(c.OneCall),
	}
}

// changedForReplay are those of them that are not the defaults: the others are to follow
// the code.
func (c config) changedForReplay() map[string]string {
	usual, err := readConfig(func(string) string { return "" })
	if err != nil {
		panic(err) // the defaults are valid
	}
	was, all := usual.forReplay(), c.forReplay()
	maps.DeleteFunc(all, func(name, value string) bool { return was[name] == value })
	return all
}

// withDemo sets demo mode, in which any extension may call unless origins are
// configured, since an unpacked extension's id is not known in advance.
func (c config) withDemo(demo bool) config {
	c.Demo = demo
	if demo && len(c.Origins) == 0 {
		c.Origins = []string{api.AnyExtension}
	}
	return c
}

// origins are scheme://host[:port] each, as browsers send them.
func (e *env) origins(name string) []string {
	all := e.list(name)
	for _, o := range all {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != o || strings.Contains(o, "*") && o != api.AnyExtension {
			e.faults = append(e.faults, fmt.Errorf("%s: %q is no origin like https://app.example or chrome-extension://id, nor %s", name, o, api.AnyExtension))
		}
	}
	return all
}

func (e *env) networks(name string) []string {
	all := e.list(name)
	for _, n := range all {
		if _, err := netip.ParsePrefix(n); err != nil {
			e.faults = append(e.faults, fmt.Errorf("%s: %q is no network like 10.0.0.0/8", name, n))
		}
	}
	return all
}

func (e *env) ports(name string) (ports []int) {
	for _, text := range e.list(name) {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			e.faults = append(e.faults, fmt.Errorf("%s: %q is no port", name, text))
		}
		ports = append(ports, int(n))
	}
	return ports
}

// stateDir follows the XDG base directories.
func (e *env) stateDir() string {
	base := e.text("XDG_STATE_HOME", "")
	if base == "" {
		base = filepath.Join(e.text("HOME", os.TempDir()), ".local", "state")
	}
	return filepath.Join(base, "stepledger")
}

// masterKeyBytes is the length of the master key.
const masterKeyBytes = 32

// masterKeyFile is where the state directory has it, beside the environment.
const masterKeyFile = "master.key"

// masterKey returns the configured key, or the one generated on the first run.
func (c config) masterKey() ([]byte, error) {
	text := c.MasterKey.Reveal()
	if text == "" {
		kept, err := keep(c.StateDir, masterKeyFile, func() string {
			return base64.StdEncoding.EncodeToString(randomBytes(masterKeyBytes))
		})
		if err != nil {
			return nil, fmt.Errorf("master key: %w", err)
		}
		text = kept
	}
	return decodeMasterKey(text)
}

// hasMasterKey reports whether a key is configured, or was generated by an earlier run.
func (c config) hasMasterKey() bool {
	_, err := os.Stat(filepath.Join(c.StateDir, masterKeyFile))
	return c.MasterKey != "" || err == nil
}

// oldMasterKeys returns those that only open.
func (c config) oldMasterKeys() (keys [][]byte, err error) {
	for _, text := range c.OldMasterKeys {
		key, err := decodeMasterKey(text.Reveal())
		if err != nil {
			return nil, fmt.Errorf("STEPLEDGER_MASTER_KEYS_OLD: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func decodeMasterKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != masterKeyBytes {
		return nil, fmt.Errorf("master key: it must be %d bytes in base64 (openssl rand -base64 %[1]d)", masterKeyBytes)
	}
	return key, nil
}
