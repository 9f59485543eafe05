package esdbtest_test

import (
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// tryAppend appends one event with a deadline of its own.
func tryAppend(t *testing.T, c *esdb.Client, stream string, deadline time.Duration) error {
	t.Helper()
	_, err := c.AppendToStream(t.Context(), stream, esdb.AppendToStreamOptions{Deadline: &deadline}, events("x")...)
	return err
}

// eventually tries until it works: a client notices a node that came back in its
// own time.
func eventually(t *testing.T, do func() error) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		err := do()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// count is how many events a stream has.
func count(t *testing.T, c *esdb.Client, stream string) int {
	t.Helper()
	list, err := readStream(t, c, stream, esdb.ReadStreamOptions{}, everything)
	if e, ok := errors.AsType[*esdb.Error](err); ok && e.Code() == esdb.ErrorCodeResourceNotFound {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const short, long = 100 * time.Millisecond, 20 * time.Second

	for _, test := range []struct {
		name  string
		fault esdbtest.Fault
		code  esdb.ErrorCode
		kept  int // events of the append that met the fault
	}{
		{"a status is refused with", esdbtest.Refuse(codes.PermissionDenied, "Access Denied"), esdb.ErrorCodeAccessDenied, 0},
		{"a node that is not ready is unavailable", esdbtest.Unavailable(), esdb.ErrorUnavailable, 0},
		{"a lost answer leaves the events there", esdbtest.LoseAnswer(), esdb.ErrorUnavailable, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t)
			s.FailNext("Append", test.fault)
			if code := codeOf(t, tryAppend(t, c, "s", long)); code != test.code {
				t.Errorf("code %d, want %d", code, test.code)
			}
			if n := count(t, c, "s"); n != test.kept {
				t.Errorf("%d events", n)
			}
			if err := tryAppend(t, c, "s", long); err != nil {
				t.Errorf("the fault stays: %v", err)
			}
			if n := s.Calls("Append"); n != 2 {
				t.Errorf("%d calls", n)
			}
		})
	}
	t.Run("a call that hangs ends with its deadline", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		s.FailAll("Append", esdbtest.Hang())
		for range 2 {
			if code := codeOf(t, tryAppend(t, c, "s", short)); code != esdb.ErrorCodeDeadlineExceeded {
				t.Errorf("code %d", code)
			}
		}
		s.Heal()
		if err := tryAppend(t, c, "s", long); err != nil || count(t, c, "s") != 1 {
			t.Error(err)
		}
	})
	t.Run("an answer may get lost without a word", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		s.FailNext("Append", func(call *esdbtest.Call) error {
			_ = esdbtest.LoseAnswer()(call)
			return esdbtest.Hang()(call)
		})
		if code := codeOf(t, tryAppend(t, c, "s", short)); code != esdb.ErrorCodeDeadlineExceeded || count(t, c, "s") != 1 {
			t.Errorf("code %d", code)
		}
	})
	t.Run("a delayed call is answered late", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		s.FailNext("Append", esdbtest.Delay(50*time.Millisecond))
		began := time.Now()
		if err := tryAppend(t, c, "s", long); err != nil || time.Since(began) < 50*time.Millisecond {
			t.Error(err, time.Since(began))
		}
	})
	t.Run("a delete's answer may get lost too", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("x"))
		s.FailNext("Delete", esdbtest.LoseAnswer())
		if _, err := c.DeleteStream(t.Context(), "s", esdb.DeleteStreamOptions{}); codeOf(t, err) != esdb.ErrorUnavailable {
			t.Error(err)
		}
		if n := count(t, c, "s"); n != 0 {
			t.Errorf("%d events", n)
		}
	})
	t.Run("a read breaks off in the middle", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("0", "1", "2"))
		s.FailNext("Read", esdbtest.DropAfter(2))
		got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, everything)
		if d := cmp.Diff([]string{"0", "1"}, typesOf(got)); d != "" || codeOf(t, err) != esdb.ErrorUnavailable {
			t.Error(d, err)
		}
		s.FailNext("Read", esdbtest.DropAfter(0))
		if _, err = readStream(t, c, "s", esdb.ReadStreamOptions{}, everything); codeOf(t, err) != esdb.ErrorUnavailable {
			t.Error(err)
		}
	})
	t.Run("nothing comes of a read whose answer gets lost", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		s.FailNext("Read", esdbtest.LoseAnswer())
		if got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, everything); len(got) > 0 || codeOf(t, err) != esdb.ErrorUnavailable {
			t.Error(got, err)
		}
	})
	t.Run("a subscription breaks off on command", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		signal := make(chan struct{})
		s.FailNext("Read", esdbtest.DropWhen(signal))
		sub := subscribe(t, c, "s", esdb.Start{})
		want(t, sub, "caught up")
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		want(t, sub, "0")
		close(signal)
		want(t, sub, "dropped: Unavailable")
		want(t, subscribe(t, c, "s", esdb.Start{}), "0", "caught up")
	})
}

func TestServer_downAndUp(t *testing.T) {
	t.Parallel()

	t.Run("the data are there again at the same address", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		url := s.URL()
		r := mustAppend(t, c, "s", esdb.NoStream{}, events("0", "1"))
		sub := subscribe(t, c, "s", esdb.Start{})
		want(t, sub, "0", "1", "caught up")
		s.Stop()
		want(t, sub, "dropped: Unavailable")
		if code := codeOf(t, tryAppend(t, c, "s", time.Minute)); code != esdb.ErrorUnavailable {
			t.Errorf("code %d", code)
		}
		s.Restart()
		if s.URL() != url {
			t.Errorf("%s was %s", s.URL(), url)
		}
		again := connect(t, s)
		got, err := readStream(t, again, "s", esdb.ReadStreamOptions{}, everything)
		if err != nil || len(got) != 2 || got[1].Position.Commit != r.CommitPosition {
			t.Error(got, err)
		}
		mustAppend(t, again, "s", esdb.Revision(1), events("2"))
	})
	t.Run("stopping twice and restarting what is up does no harm", func(t *testing.T) {
		t.Parallel()
		s, _ := start(t)
		s.Stop()
		s.Stop()
		s.Restart()
		s.Restart()
		mustAppend(t, connect(t, s), "s", esdb.NoStream{}, events("0"))
	})
	t.Run("a node that stands still accepts and does not answer", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		s.Pause()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		if code := codeOf(t, tryAppend(t, c, "s", 100*time.Millisecond)); code != esdb.ErrorCodeDeadlineExceeded {
			t.Errorf("code %d", code)
		}
		s.Resume()
		eventually(t, func() error { return tryAppend(t, c, "s", time.Second) })
	})
	t.Run("a node that stands still can be stopped", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		s.Pause()
		s.Stop()
		s.Restart()
		mustAppend(t, connect(t, s), "s", esdb.Revision(0), events("1"))
	})
	t.Run("stopping ends the calls that hang", func(t *testing.T) {
		t.Parallel()
		s, c := start(t)
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		hanging := make(chan struct{})
		s.FailNext("Append", func(call *esdbtest.Call) error {
			close(hanging)
			return esdbtest.Hang()(call)
		})
		ended := make(chan error, 1)
		go func() { ended <- tryAppend(t, c, "s", time.Minute) }()
		<-hanging
		s.Stop()
		// The code is lost where the client had not sent everything yet.
		if err := <-ended; err == nil {
			t.Error("it was answered")
		}
	})
}

func TestCluster(t *testing.T) {
	t.Parallel()
	three := func(t *testing.T) [3]*esdbtest.Server {
		t.Helper()
		var nodes [3]*esdbtest.Server
		nodes[0] = esdbtest.Start(t, esdbtest.Options{})
		for i := range nodes[1:] {
			nodes[i+1] = esdbtest.Start(t, esdbtest.Options{Joins: nodes[0]})
		}
		return nodes
	}
	calls := func(nodes [3]*esdbtest.Server, method string) (n [3]int) {
		for i, s := range nodes {
			n[i] = s.Calls(method)
		}
		return n
	}

	t.Run("a client that looks around goes to the leader", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		mustAppend(t, dial(t, nodes[1].ClusterURL()), "s", esdb.NoStream{}, events("0"))
		mustAppend(t, dial(t, "esdb+discover://"+nodes[2].Addr()+"?tls=false"), "s", esdb.Revision(0), events("1"))
		if got := calls(nodes, "Append"); !nodes[0].Leads() || got != [3]int{2, 0, 0} {
			t.Errorf("appends %v", got)
		}
		if n := nodes[2].Calls("Gossip"); n == 0 {
			t.Error("nobody asked the third node")
		}
	})
	t.Run("a follower passes writes on", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		c := connect(t, nodes[1])
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		if n := count(t, connect(t, nodes[0]), "s"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
	t.Run("another node leads when the leader is gone, with all that was written", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		c := dial(t, nodes[0].ClusterURL())
		mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		nodes[0].Stop()
		if !nodes[1].Leads() {
			t.Error("the second does not lead")
		}
		eventually(t, func() error { return tryAppend(t, c, "s", time.Second) })
		if n := count(t, c, "s"); n != 2 {
			t.Errorf("%d events", n)
		}
		nodes[0].Restart()
		if nodes[0].Leads() {
			t.Error("the lead was taken from a node that is up")
		}
	})
	t.Run("one of three alone serves nothing", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		nodes[0].Stop()
		nodes[1].Stop()
		c := connect(t, nodes[2])
		if code := codeOf(t, tryAppend(t, c, "s", time.Minute)); code != esdb.ErrorUnavailable {
			t.Errorf("code %d", code)
		}
		nodes[0].Restart()
		eventually(t, func() error { return tryAppend(t, c, "s", time.Second) })
	})
	t.Run("a client that is told who leads goes there", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		c := connect(t, nodes[1])
		host, text, _ := net.SplitHostPort(nodes[0].Addr())
		port, _ := strconv.Atoi(text)
		nodes[1].FailAll("Append", esdbtest.NotLeader(host, port))
		if code := codeOf(t, tryAppend(t, c, "s", time.Minute)); code != esdb.ErrorCodeNotLeader {
			t.Errorf("code %d", code)
		}
		eventually(t, func() error { return tryAppend(t, c, "s", time.Second) })
		if got := calls(nodes, "Append"); got[0] == 0 {
			t.Errorf("appends %v", got)
		}
	})
	t.Run("a client that wants the leader is sent there", func(t *testing.T) {
		t.Parallel()
		nodes := three(t)
		trailers, err := dialRaw(t, nodes[1]).wantingLeader().append(t, "s", events("0"))
		if err == nil || !cmp.Equal(trailers.Get("exception"), []string{"not-leader"}) {
			t.Fatal(err, trailers)
		}
		if got := net.JoinHostPort(trailers.Get("leader-endpoint-host")[0], trailers.Get("leader-endpoint-port")[0]); got != nodes[0].Addr() {
			t.Errorf("sent to %s", got)
		}
	})
}

func TestServer_features(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		options esdbtest.Options
		major   int
	}{
		{"the version is a number", esdbtest.Options{}, 24},
		{"an old server has none", esdbtest.Options{WithoutServerFeatures: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, esdbtest.Start(t, test.options))
			v, err := c.GetServerVersion()
			if err != nil || v.Major != test.major {
				t.Errorf("%+v, %v", v, err)
			}
			mustAppend(t, c, "s", esdb.NoStream{}, events("0"))
		})
	}
}
