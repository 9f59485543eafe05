package main

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func configFrom(env map[string]string) (config, error) {
	return readConfig(func(name string) string { return env[name] })
}

func TestReadConfig_Defaults(t *testing.T) {
	t.Parallel()
	c, err := configFrom(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8484" || c.Limits.MaxSteps != 50 || c.Limits.MaxIdle != 5 || c.Models.configured() {
		t.Errorf("defaults %+v", c)
	}
}

func TestReadConfig_NamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := configFrom(map[string]string{
		"LOG_LEVEL": "loud", "STEPLEDGER_LOG_FORMAT": "xml", "STEPLEDGER_DRAIN_SECONDS": "0", "STEPLEDGER_MAX_STEPS": "none", "STEPLEDGER_PAGE_TOKENS": "100", "STEPLEDGER_ONE_CALL": "perhaps", "STEPLEDGER_MAX_TOKENS": "0", "SMART_MODEL_TEMPERATURE": "9", "EVENTSTORE_URL": "http://h",
		"STEPLEDGER_CORS_ORIGINS": "https://app.example/,*", "STEPLEDGER_TRUSTED_PROXIES": "10.0.0.1", "STEPLEDGER_RATE_LIMITS": "free interact=0",
	})
	for _, name := range []string{"STEPLEDGER_CORS_ORIGINS", "STEPLEDGER_TRUSTED_PROXIES", "STEPLEDGER_RATE_LIMITS", "LOG_LEVEL", "STEPLEDGER_LOG_FORMAT", "STEPLEDGER_DRAIN_SECONDS", "STEPLEDGER_MAX_STEPS", "STEPLEDGER_PAGE_TOKENS", "STEPLEDGER_ONE_CALL", "STEPLEDGER_MAX_TOKENS", "SMART_MODEL_TEMPERATURE", "EVENTSTORE_URL"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in %v", name, err)
		}
	}
}

func TestConfig_OriginsOfADemo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		configured string
		demo       bool
		want       string
	}{
		"none":                  {"", false, ""},
		"none in a demo":        {"", true, "chrome-extension://*"},
		"an extension":          {"chrome-extension://abc, https://app.example:8443", false, "chrome-extension://abc https://app.example:8443"},
		"an extension's demo":   {"chrome-extension://abc", true, "chrome-extension://abc"},
		"all that anybody asks": {"chrome-extension://*", false, "chrome-extension://*"},
	} {
		c, err := configFrom(map[string]string{"STEPLEDGER_CORS_ORIGINS": tt.configured})
		if got := strings.Join(c.withDemo(tt.demo).Origins, " "); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestConfig_PrintsNoSecret(t *testing.T) {
	t.Parallel()
	c, err := configFrom(map[string]string{
		"DATABASE_URL": "postgres://u:hunter2@h/db", "GEMINI_API_KEY": "hunter2", "OPENAI_API_KEY": "hunter2", "STEPLEDGER_MASTER_KEY": "hunter2",
		"STEPLEDGER_PUBLISH_URL":        "kafka://u:hunter2@h",
		"EVENTSTORE_URL":                "esdb://u:hunter2@h:2113",
		"STEPLEDGER_ARCHIVE_ACCESS_KEY": "hunter2", "STEPLEDGER_ARCHIVE_SECRET_KEY": "hunter2",

		"OTEL_EXPORTER_OTLP_ENDPOINT": "https://u:hunter2@h", "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=hunter2",
		"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "hunter2", "SENTRY_DSN": "https://hunter2@h/1",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if out := fmt.Sprintf(verb, c); strings.Contains(out, "hunter2") {
			t.Errorf("%s shows %s", verb, out)
		}
	}
}

func TestConfig_MasterKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made, err := config{StateDir: dir}.masterKey()
	if err != nil || len(made) != masterKeyBytes {
		t.Fatalf("%d bytes, %v", len(made), err)
	}
	again, err := config{StateDir: dir}.masterKey()
	if err != nil || string(again) != string(made) {
		t.Errorf("the second run has another key (%v)", err)
	}
	given := base64.StdEncoding.EncodeToString(make([]byte, masterKeyBytes))
	c, err := configFrom(map[string]string{"STEPLEDGER_MASTER_KEY": given, "STEPLEDGER_STATE_DIR": dir})
	if err != nil {
		t.Fatal(err)
	}
	if key, err := c.masterKey(); err != nil || string(key) != string(make([]byte, masterKeyBytes)) {
		t.Errorf("the given key is not used (%v)", err)
	}
	c.MasterKey = "short"
	if _, err := c.masterKey(); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("a bad key gives %v", err)
	}
}

func TestKeep_OfTwoAtOnceOneIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers = 16
	got := make([]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			text, err := keep(dir, "secret", func() string { return fmt.Sprintf("drawn by %d", i) })
			if err != nil {
				t.Error(err)
			}
			got[i] = text
		})
	}
	wg.Wait()
	for _, text := range got {
		if text == "" || text != got[0] {
			t.Fatalf("not one secret: %q", got)
		}
	}
}
