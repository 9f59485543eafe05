package publish

import (
	"context"
	"strings"
	"time"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-kafka/v3/pkg/kafka"
	wmnats "github.com/ThreeDotsLabs/watermill-nats/v2/pkg/nats"
	"github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"github.com/stepledger/stepledger/internal/pgpool"
)

const (
	clientName = "stepledger"
	// dialWithin and answerWithin bound the wait for a broker.
	dialWithin   = 5 * time.Second
	answerWithin = 5 * time.Second
	// maxMessage is larger than the largest event with its headers, so that the
	// broker's limit decides.
	maxMessage = 4 << 20
)

// kafka returns a publisher that connects with the first message, so that metadata of
// unused topics is not fetched.
func (a address) kafka() (message.Publisher, error) {
	c := sarama.NewConfig()
	c.ClientID, c.Version = clientName, sarama.V2_1_0_0 // the oldest that Kafka 4 still speaks
	c.Metadata.Full = false
	c.Metadata.Retry.Max, c.Metadata.Retry.Backoff = 2, 100*time.Millisecond
	c.Net.DialTimeout, c.Net.ReadTimeout, c.Net.WriteTimeout = dialWithin, answerWithin, answerWithin
	c.Net.TLS.Enable = a.tls
	if a.user != "" {
		c.Net.SASL.Enable, c.Net.SASL.User, c.Net.SASL.Password = true, a.user, a.password
	}
	c.Net.MaxOpenRequests = 1 // a message tried again must not come after the next
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Return.Successes = true
	c.Producer.Retry.Max = 2
	c.Producer.MaxMessageBytes = maxMessage
	byStream := func(_ string, m *message.Message) (string, error) {
		return m.Metadata[kafkaBinding.prefix+subject], nil
	}
	return kafka.NewPublisher(kafka.PublisherConfig{
		Brokers: a.hosts, Marshaler: kafka.NewWithPartitioningMarshaler(byStream), OverwriteSaramaConfig: c,
	}, watermill.NopLogger{})
}

// nats returns a publisher that keeps itself connected. A message that cannot be sent
// at once is an error and is not queued; the caller repeats it.
func (a address) nats() (message.Publisher, error) {
	options := []nats.Option{
		nats.Name(clientName), nats.Timeout(dialWithin), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectBufSize(-1), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if a.user != "" {
		options = append(options, nats.UserInfo(a.user, a.password))
	}
	if a.tls {
		options = append(options, nats.Secure())
	}
	return wmnats.NewPublisher(wmnats.PublisherConfig{
		URL: strings.Join(a.hosts, ","), NatsOptions: options,
		JetStream: wmnats.JetStreamConfig{
			AutoProvision: true, TrackMsgId: true, ConnectOptions: []nats.JSOpt{nats.MaxWait(answerWithin)},
		},
	}, watermill.NopLogger{})
}

// database is a publisher with its own pool.
type database struct {
	*sql.Publisher
	pool *pgpool.Pool
}

// Close implements message.Publisher.
func (d database) Close() error {
	defer d.pool.Close()
	return d.Publisher.Close()
}

func (a address) postgres() (message.Publisher, error) {
	pool, err := pgpool.Open(context.Background(), a.database, pgpool.Options{
		Name: "publish", MaxConns: 2, Tune: func(c *pgxpool.Config) { c.ConnConfig.ConnectTimeout = dialWithin },
	})
	if err != nil {
		return nil, err
	}
	p, err := sql.NewPublisher(sql.BeginnerFromPgx(pool), sql.PublisherConfig{
		SchemaAdapter: sql.DefaultPostgreSQLSchema{}, AutoInitializeSchema: true,
	}, watermill.NopLogger{})
	if err != nil {
		pool.Close()
		return nil, err
	}
	return database{p, pool}, nil
}
