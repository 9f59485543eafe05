package esdb

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"esdb://localhost:2113?tls=false",
		"esdb://admin:changeit@localhost:2113?tlsVerifyCert=false",
		"esdb+discover://cluster.example:2113?nodePreference=follower&keepAliveInterval=10000",
		"esdb://a:2111,b:2112,c:2113?tls=false",
		"esdb://localhost?defaultDeadline=nonsense", // ours hold
	} {
		if err := CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "localhost:2113", "http://localhost:2113", "esdb://", "esdb://user:s3cret@host:x",
		"esdb://user:s3cret@%zz", "esdb://user:s3cret@host?tls=maybe", "esdb://user:s3cret@host?tls=false&spelling=s3cret;",
		"esdb://user:s3cret@host?speling=1", "esdb://user:s3cret@host?tlsCAFile=/nowhere", "esdb://user:s3cret@host?userCertFile=x",
		"esdb://user:s3cret@host/path", "esdb://user:s3cret@host:80:81", "esdb://user:s3cret@[host",
		"kurrentdb://user:s3cret@host",
	} {
		switch err := CheckURL(bad); {
		case err == nil:
			t.Errorf("%s is taken", bad)
		case strings.Contains(err.Error(), "s3cret"):
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestParse_overrules(t *testing.T) {
	t.Parallel()
	c, err := parse("esdb://localhost?maxDiscoverAttempts=99&discoveryInterval=5000&gossipTimeout=60&defaultDeadline=1",
		Options{Timeout: 1500 * time.Millisecond}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxDiscoverAttempts != 1 || c.DiscoveryInterval != 0 || c.GossipTimeout != 1 || c.DefaultDeadline != nil {
		t.Errorf("configuration is %+v", c)
	}
	if c.NodePreference != "Leader" {
		t.Errorf("preferred is %s", c.NodePreference)
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	log := tell(Options{Log: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	log("warn", "took %d of %s", 3, "x")
	log("warn", "took %d of %s", []any{4, "y"}) // as the client does now and then
	for _, want := range []string{"took 3 of x", "took 4 of y"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in %q", want, said.String())
		}
	}
}
