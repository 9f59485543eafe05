package bouncertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// answerWithin bounds the wait for PgBouncer's first answer.
const answerWithin = 20 * time.Second

// PgBouncer starts one in transaction mode before the server at an address and returns the
// address it answers at. Settings are lines of its section [pgbouncer] beside those it
// needs. It ends with the test. Without one the test is skipped, on CI failed.
func PgBouncer(t testing.TB, server string, settings ...string) (url string) {
	t.Helper()
	return Start(t, server, settings...).URL
}

// Bouncer is a PgBouncer that may be led to another server.
type Bouncer struct {
	// URL is where it is reached, for the database and user of the first server's address.
	URL      string
	file     string
	port     int
	account  string
	settings []string
}

// Start is PgBouncer for tests in which the server changes.
func Start(t testing.TB, server string, settings ...string) *Bouncer {
	t.Helper()
	path, err := program()
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	port, dir := freePort(t), t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { //nolint:gosec // to be passed through: it is read again as another user
		t.Fatal(err)
	}
	b := &Bouncer{
		URL: urlAt(t, server, fmt.Sprintf("127.0.0.1:%d", port)), file: filepath.Join(dir, "pgbouncer.ini"),
		port: port, account: account(t, configOf(t, server).Host), settings: settings,
	}
	b.configure(t, server)
	start(t, path, b.file)
	waitUntilItAnswers(t, b.URL)
	return b
}

func configOf(t testing.TB, server string) *pgx.ConnConfig {
	t.Helper()
	c, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *Bouncer) configure(t testing.TB, server string) {
	t.Helper()
	config := fmt.Sprintf(`[databases]
* = %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
admin_users = operator
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = 12
max_client_conn = 1000
%s
%s
`, connString(configOf(t, server)), b.port, b.account, strings.Join(b.settings, "\n"))
	if err := os.WriteFile(b.file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Lead has it lead to another server from now on, as an operator does: by its file, and
// RELOAD in its console.
func (b *Bouncer) Lead(t testing.TB, server string) {
	t.Helper()
	b.configure(t, server)
	ctx, cancel := context.WithTimeout(t.Context(), answerWithin)
	defer cancel()
	console, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://operator@127.0.0.1:%d/pgbouncer?sslmode=disable", b.port))
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close(ctx)
	if _, err := console.Exec(ctx, "RELOAD").ReadAll(); err != nil {
		t.Fatal(err)
	}
	// It answers so whether it could read the file or not.
	all, err := console.Exec(ctx, "SHOW DATABASES").ReadAll()
	if host := configOf(t, server).Host; err != nil || !strings.Contains(fmt.Sprintf("%s", all[0].Rows), host) {
		t.Fatalf("PgBouncer does not lead to %s: %s, %v", host, all[0].Rows, err)
	}
}

// Through is the address of another database of the server behind a pooler.
func Through(t testing.TB, pooled, server string) (url string) {
	t.Helper()
	c := configOf(t, pooled)
	return urlAt(t, server, net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))))
}

// minder runs PgBouncer until its own input ends, which the kernel sees to where this
// process is killed. A signal at the death of its parent would be lost on PgBouncer, which
// root starts and which then becomes another user.
const minder = `
trap '' HUP INT TERM
"$1" "$2" &
read -r line
kill -KILL $!
wait`

// start runs the program until the end of the test, or of this process.
func start(t testing.TB, program, config string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", minder, "sh", program, config)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Dir = "/"
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
		if t.Failed() {
			lines := strings.Split(said.String(), "\n")
			t.Logf("PgBouncer said last:\n%s", strings.Join(lines[max(0, len(lines)-20):], "\n"))
		}
	})
}

// account is the line by which a PgBouncer that root starts becomes another: the owner of
// the server's socket, who alone may connect to a private server.
func account(t testing.TB, host string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return ""
	}
	info, err := os.Stat(host)
	if err != nil {
		return "user = nobody"
	}
	owner, err := user.LookupId(strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid)))
	if err != nil {
		t.Fatal(err)
	}
	return "user = " + owner.Username
}

// connString is what PgBouncer connects by.
func connString(c *pgx.ConnConfig) string {
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	s := fmt.Sprintf("host=%s port=%d user=%s", quoted(c.Host), c.Port, quoted(c.User))
	if c.Password != "" {
		s += " password=" + quoted(c.Password)
	}
	return s
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func waitUntilItAnswers(t testing.TB, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerWithin)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, url)
		if err == nil {
			_ = c.Close(ctx)
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("PgBouncer does not answer: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}
