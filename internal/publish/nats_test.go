package publish_test

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// broker starts a NATS server with JetStream in this process, on a port or any,
// with what it keeps in a directory.
func broker(t *testing.T, port int, dir string) *server.Server {
	t.Helper()
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
		Username: "jo", Password: "p@ss",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		t.Fatal("the NATS server does not start")
	}
	t.Cleanup(func() { end(s) })
	return s
}

func end(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func portOf(t *testing.T, s *server.Server) int {
	t.Helper()
	var port int
	if _, err := fmt.Sscanf(s.ClientURL(), "nats://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	return port
}

// kept reads everything JetStream has of a topic.
func kept(t *testing.T, s *server.Server, topic string) (out []seen) {
	t.Helper()
	c, err := nats.Connect(s.ClientURL(), nats.UserInfo("jo", "p@ss"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	js, err := c.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	info, err := js.StreamInfo(topic)
	if err != nil {
		t.Fatal(err)
	}
	for i := uint64(1); i <= info.State.LastSeq; i++ {
		m, err := js.GetMsg(topic, i)
		if err != nil {
			t.Fatal(err)
		}
		s := seen{data: string(m.Data), headers: map[string]string{}}
		for key := range m.Header {
			s.headers[key] = m.Header.Get(key)
		}
		s.id = s.headers["_watermill_message_uuid"]
		if s.headers[nats.MsgIdHdr] != s.id {
			t.Errorf("the broker knows the event by %q", s.headers[nats.MsgIdHdr])
		}
		delete(s.headers, "_watermill_message_uuid")
		delete(s.headers, nats.MsgIdHdr)
		out = append(out, s)
	}
	return out
}

func TestNATS_BrokerRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := broker(t, 0, dir)
	port := portOf(t, s)
	to := open(t, fmt.Sprintf("nats://jo:p%%40ss@127.0.0.1:%d?topic=tasks", port))
	all := story()
	for _, e := range all[:5] {
		if err := send(t, to, e); err != nil {
			t.Fatal(err)
		}
	}
	for _, url := range []string{"nats://jo:wrong@127.0.0.1:%d", "nats://jo:p%%40ss@127.0.0.1:%d?tls=true"} {
		if err := send(t, open(t, fmt.Sprintf(url, port)), all[0]); err == nil {
			t.Errorf("%s: a broker took an event it must refuse", url)
		}
	}
	end(s)
	for range 2 {
		if err := send(t, to, all[5]); err == nil {
			t.Fatal("a broker that is away took an event")
		}
	}
	s = broker(t, port, dir)
	for _, e := range all[4:] { // the fifth again, as after a crash
		mustSend(t, to, e)
	}
	got := kept(t, s, "tasks")
	if len(got) != len(all) {
		t.Errorf("the broker has %d messages of %d events", len(got), len(all))
	}
	wantSeen(t, got, all, "ce-", "ce-datacontenttype", "a%20key%0D%0Aof%20100%25%20a%20client")
}
