package publish

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
)

// address is a parsed target URL.
type address struct {
	scheme, topic string
	// Of kafka and nats.
	hosts          []string
	user, password string
	tls            bool
	// Of postgres: the URL without the topic.
	database string
}

// defaultTopic is where events go when the URL does not say.
const defaultTopic = "stepledger"

var (
	topics  = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,50}$`)
	ports   = map[string]string{"kafka": "9092", "nats": "4222"}
	errForm = errors.New("a URL to publish to begins with kafka://, nats:// or postgres://")
)

// parse parses a URL by hand, because a list of hosts is no URL to net/url. Errors
// contain no part of it, since a malformed URL may have the password anywhere.
func parse(secret account.Secret) (address, error) {
	scheme, rest, _ := strings.Cut(secret.Reveal(), "://")
	authority, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return address{}, errors.New("the part after the ? of the URL to publish to cannot be read")
	}
	a := address{scheme: scheme, topic: defaultTopic}
	if values.Has("topic") {
		a.topic = values.Get("topic")
		values.Del("topic")
	}
	if !topics.MatchString(a.topic) || scheme == "nats" && strings.Contains(a.topic, ".") {
		return a, errors.New("a topic to publish to has at most 50 letters, digits, _ and -, and for Kafka and Postgres dots")
	}
	switch scheme {
	case "kafka", "nats":
		return a, a.readBroker(authority, values)
	case "postgres", "postgresql":
		a.database = scheme + "://" + authority
		if len(values) > 0 {
			a.database += "?" + values.Encode()
		}
		return a, nil
	}
	return a, errForm
}

func (a *address) readBroker(authority string, values url.Values) error {
	for key := range values {
		if key != "tls" {
			return errors.New("a URL to publish to takes topic and tls after the ?, nothing else")
		}
	}
	a.tls = values.Get("tls") == "true"
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		user, password, _ := strings.Cut(authority[:at], ":")
		var userErr, passwordErr error
		a.user, userErr = url.PathUnescape(user)
		a.password, passwordErr = url.PathUnescape(password)
		if userErr != nil || passwordErr != nil {
			return errors.New("the user or password in the URL to publish to is not percent-encoded")
		}
		authority = authority[at+1:]
	}
	for host := range strings.SplitSeq(strings.TrimSuffix(authority, "/"), ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), ports[a.scheme])
		}
		name, port, err := net.SplitHostPort(host)
		if err != nil || name == "" || port == "" || strings.Contains(name, ":") && net.ParseIP(name) == nil {
			return fmt.Errorf("host %d in the URL to publish to is no host or host:port", len(a.hosts)+1)
		}
		a.hosts = append(a.hosts, host)
	}
	return nil
}
