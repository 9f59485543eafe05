package esdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// settings are what a connection string may say. The client only warns of
// others, and on the console.
var settings = []string{
	"defaultdeadline", "discoveryinterval", "gossiptimeout", "keepaliveinterval", "keepalivetimeout", "maxdiscoverattempts",
	"nodepreference", "tls", "tlscafile", "tlsverifycert", "usercertfile", "userkeyfile",
}

// CheckURL returns an error for an invalid connection string. The error contains no
// part of it, since it may have a password.
func CheckURL(connection string) error {
	_, err := parse(connection, Options{}.withDefaults())
	return err
}

// parse reads a connection string. What it says about tries and deadlines is
// overruled: a client is given one try and is then replaced, and every call has
// a deadline of ours.
func parse(connection string, o Options) (*esdb.Configuration, error) {
	if !strings.HasPrefix(connection, "esdb://") && !strings.HasPrefix(connection, "esdb+discover://") {
		return nil, errors.New("event store url: it does not begin with esdb:// or esdb+discover://")
	}
	_, query, _ := strings.Cut(connection, "?")
	said, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("event store url: its settings cannot be read")
	}
	for name := range said {
		if !slices.Contains(settings, strings.ToLower(name)) {
			return nil, fmt.Errorf("event store url: there is no setting %q", name)
		}
	}
	config, err := esdb.ParseConnectionString(connection)
	var malformed *url.Error
	switch {
	case errors.As(err, &malformed):
		return nil, errors.New("event store url: it is no url")
	case err != nil:
		return nil, fmt.Errorf("event store url: %w", err)
	}
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("event store url: %w", err)
	}
	config.MaxDiscoverAttempts = 1
	config.DiscoveryInterval = 0
	// Whole seconds. A node that does not answer may not take the time of the others:
	// the client asks one after the other, and knows nothing of our deadlines then.
	config.GossipTimeout = max(1, min(config.GossipTimeout, int(o.Timeout/(4*time.Second))))
	config.DefaultDeadline = nil
	config.Logger = tell(o)
	return config, nil
}

// tell passes on what the client says. Sometimes it passes its arguments as one.
func tell(o Options) esdb.LoggingFunc {
	return func(level esdb.LogLevel, format string, args ...any) {
		if !o.Log.Enabled(context.Background(), slog.LevelDebug) {
			return
		}
		if len(args) == 1 {
			if all, ok := args[0].([]any); ok {
				args = all
			}
		}
		o.Log.Debug("eventstore client", "level", level, "said", fmt.Sprintf(format, args...))
	}
}
