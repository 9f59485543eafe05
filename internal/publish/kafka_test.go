package publish_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// kafka starts a broker in this process, on a port or any.
func kafka(t *testing.T, port int) (address string, stop func()) {
	t.Helper()
	options := []kfake.Opt{
		kfake.NumBrokers(1), kfake.AllowAutoTopicCreation(), kfake.DefaultNumPartitions(4),
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "jo", "p@ss"),
	}
	if port != 0 {
		options = append(options, kfake.Ports(port))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs()[0], cluster.Close
}

// consume reads n records of a topic.
func consume(t *testing.T, address, topic string, n int) (out []seen, partitions map[string]map[int32]bool) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SASL(plain.Auth{User: "jo", Pass: "p@ss"}.AsMechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	partitions = map[string]map[int32]bool{}
	for len(out) < n {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			s := seen{key: string(r.Key), data: string(r.Value), headers: map[string]string{}}
			for _, h := range r.Headers {
				s.headers[h.Key] = string(h.Value)
			}
			s.id = s.headers["_watermill_message_uuid"]
			delete(s.headers, "_watermill_message_uuid")
			out = append(out, s)
			if partitions[s.key] == nil {
				partitions[s.key] = map[int32]bool{}
			}
			partitions[s.key][r.Partition] = true
		})
	}
	return out, partitions
}

func TestKafka(t *testing.T) {
	t.Parallel()
	address, _ := kafka(t, 0)
	to := open(t, "kafka://jo:p%40ss@"+address+"?topic=acme.tasks")
	all := story()
	for _, e := range all {
		if err := send(t, to, e); err != nil {
			t.Fatal(err)
		}
	}
	got, partitions := consume(t, address, "acme.tasks", len(all))
	wantSeen(t, got, all, "ce_", "content-type", "a key\r\nof 100% a client")
	for stream, in := range partitions {
		if len(in) != 1 || stream == "" {
			t.Errorf("stream %q is in partitions %v", stream, in)
		}
	}
	if err := send(t, open(t, "kafka://jo:wrong@"+address), all[0]); err == nil {
		t.Error("a broker took an event from somebody it does not know")
	}
}

func TestKafka_BrokerRestart(t *testing.T) {
	t.Parallel()
	address, stop := kafka(t, 0)
	to := open(t, "kafka://jo:p%40ss@"+address)
	all := story()
	for _, e := range all[:4] {
		mustSend(t, to, e)
	}
	stop()
	if err := send(t, to, all[4]); err == nil {
		t.Fatal("a broker that is away took an event")
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := kafka(t, number) // it has forgotten everything
	for _, e := range all[4:] {
		mustSend(t, to, e)
	}
	got, _ := consume(t, again, "stepledger", len(all[4:]))
	wantSeen(t, got, all[4:], "ce_", "content-type", "a key\r\nof 100% a client")
}
