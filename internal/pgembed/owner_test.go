package pgembed

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// ownerEnv makes this test binary a program that owns a server on the named
// directory until it is killed.
const ownerEnv = "PGEMBED_TEST_OWNER_OF"

func TestMain(m *testing.M) {
	dir := os.Getenv(ownerEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Start(context.Background(), Config{DataDir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.PID())
	<-s.Done()
}

// startOwner runs such a program and returns it with its server's pid.
func startOwner(t *testing.T, dir string) (owner *exec.Cmd, server int) {
	t.Helper()
	owner = exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), ownerEnv+"="+dir)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill(); _ = owner.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the owner started no server: %v", err)
	}
	if server, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return owner, server
}

func TestStart_AfterOwnerWasKilled(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	stop(t, start(t, Config{DataDir: dir})) // skips the test where there is no Postgres
	owner, server := startOwner(t, dir)

	guest := start(t, Config{DataDir: dir})
	if guest.Owned() || guest.PID() != server {
		t.Fatalf("owned %v, pid %d; want to be a guest of server %d", guest.Owned(), guest.PID(), server)
	}
	mustExec(t, guest.URL(), `create table kept as select 7 as n`)

	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	heir := start(t, Config{DataDir: dir}) // at once: the old server is still ending
	if !heir.Owned() || heir.PID() == server {
		t.Errorf("owned %v, pid %d; want a server of its own", heir.Owned(), heir.PID())
	}
	if n := queryOne[int](t, heir.URL(), `select n from kept`); n != 7 {
		t.Errorf("n = %d, want 7", n)
	}
	if alive(server) {
		t.Errorf("two servers: %d lives", server)
	}
}
