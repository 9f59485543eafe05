package esdbtest_test

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestReadStream(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	mustAppend(t, c, "s", esdb.NoStream{}, events("0", "1", "2", "3", "4"))

	for _, test := range []struct {
		name  string
		o     esdb.ReadStreamOptions
		count uint64
		want  []string
	}{
		{"forwards from the start", esdb.ReadStreamOptions{From: esdb.Start{}}, everything, []string{"0", "1", "2", "3", "4"}},
		{"forwards from a revision, inclusive", esdb.ReadStreamOptions{From: esdb.Revision(3)}, everything, []string{"3", "4"}},
		{"forwards, a number of events", esdb.ReadStreamOptions{From: esdb.Revision(1)}, 2, []string{"1", "2"}},
		{"forwards from beyond the end", esdb.ReadStreamOptions{From: esdb.Revision(9)}, everything, []string{}},
		{"backwards from the end", esdb.ReadStreamOptions{From: esdb.End{}, Direction: esdb.Backwards}, 2, []string{"4", "3"}},
		{"backwards from a revision, inclusive", esdb.ReadStreamOptions{From: esdb.Revision(2), Direction: esdb.Backwards}, everything, []string{"2", "1", "0"}},
		{"backwards from the start", esdb.ReadStreamOptions{From: esdb.Start{}, Direction: esdb.Backwards}, everything, []string{"0"}},
		{"backwards from beyond the end", esdb.ReadStreamOptions{From: esdb.Revision(9), Direction: esdb.Backwards}, 2, []string{"4", "3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := readStream(t, c, "s", test.o, test.count)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, typesOf(got)); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("a stream that never was is not found", func(t *testing.T) {
		t.Parallel()
		if _, err := readStream(t, c, "never", esdb.ReadStreamOptions{}, 1); codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
			t.Error(err)
		}
	})
}

// positionOf is where an event is in $all.
func positionOf(e *esdb.RecordedEvent) esdb.Position { return e.Position }

func TestReadAll(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	for i := range 100 {
		mustAppend(t, c, fmt.Sprintf("s-%d", i%3), esdb.Any{}, events(strconv.Itoa(i)))
	}
	all, err := readAll(t, c, esdb.ReadAllOptions{From: esdb.Start{}}, everything)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("has everything in order, the system's own events first", func(t *testing.T) {
		t.Parallel()
		if n := len(all); n != 103 || all[0].StreamID[:2] != "$$" || all[3].EventType != "0" || all[102].EventType != "99" {
			t.Errorf("%d events: %v", n, typesOf(all))
		}
		for i, e := range all[1:] {
			if e.Position.Commit <= all[i].Position.Commit {
				t.Fatalf("%v after %v", e.Position, all[i].Position)
			}
		}
	})
	t.Run("forwards from a position, inclusive", func(t *testing.T) {
		t.Parallel()
		got, err := readAll(t, c, esdb.ReadAllOptions{From: positionOf(all[40])}, 50)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(all[40:90], got); d != "" {
			t.Error(d)
		}
	})
	t.Run("backwards from a position, exclusive", func(t *testing.T) {
		t.Parallel()
		got, err := readAll(t, c, esdb.ReadAllOptions{From: positionOf(all[40]), Direction: esdb.Backwards}, everything)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 40 || got[0].EventID != all[39].EventID || got[39].EventID != all[0].EventID {
			t.Errorf("%d events from %v", len(got), typesOf(got[:1]))
		}
	})
	t.Run("backwards from the end", func(t *testing.T) {
		t.Parallel()
		got, err := readAll(t, c, esdb.ReadAllOptions{From: esdb.End{}, Direction: esdb.Backwards}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"99", "98"}, typesOf(got)); d != "" {
			t.Error(d)
		}
	})
	t.Run("forwards from the end, and backwards from the start, is nothing", func(t *testing.T) {
		t.Parallel()
		forwards, err1 := readAll(t, c, esdb.ReadAllOptions{From: esdb.End{}}, everything)
		backwards, err2 := readAll(t, c, esdb.ReadAllOptions{From: esdb.Start{}, Direction: esdb.Backwards}, everything)
		if err := errors.Join(err1, err2); err != nil || len(forwards)+len(backwards) != 0 {
			t.Error(forwards, backwards, err)
		}
	})
	t.Run("behind the last event is nothing", func(t *testing.T) {
		t.Parallel()
		far := all[102].Position.Commit + 1_000_000
		got, err := readAll(t, c, esdb.ReadAllOptions{From: esdb.Position{Commit: far, Prepare: far}}, 10)
		if err != nil || len(got) != 0 {
			t.Error(got, err)
		}
	})
	t.Run("from where no event is it is refused", func(t *testing.T) {
		t.Parallel()
		between := all[40].Position.Commit + 1
		for _, direction := range []esdb.Direction{esdb.Forwards, esdb.Backwards} {
			_, err := readAll(t, c, esdb.ReadAllOptions{From: esdb.Position{Commit: between, Prepare: between}, Direction: direction}, 10)
			if codeOf(t, err) != esdb.ErrorCodeUnknown {
				t.Error(err)
			}
		}
		sub, err := c.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: esdb.Position{Commit: between, Prepare: between}})
		if err != nil {
			t.Fatal(err)
		}
		if e := next(t, sub); e.SubscriptionDropped == nil || status.Code(e.SubscriptionDropped.Error) != codes.InvalidArgument {
			t.Errorf("%+v", e)
		}
	})
}

// readRequest is a read of the stream s with its parts to change.
func readRequest(from, count uint64) *streams.ReadReq_Options {
	return &streams.ReadReq_Options{
		StreamOption: &streams.ReadReq_Options_Stream{Stream: &streams.ReadReq_Options_StreamOptions{
			StreamIdentifier: &shared.StreamIdentifier{StreamName: []byte("s")},
			RevisionOption:   &streams.ReadReq_Options_StreamOptions_Revision{Revision: from},
		}},
		CountOption:   &streams.ReadReq_Options_Count{Count: count},
		FilterOption:  &streams.ReadReq_Options_NoFilter{NoFilter: &shared.Empty{}},
		UuidOption:    &streams.ReadReq_Options_UUIDOption{Content: &streams.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}}},
		ControlOption: &streams.ReadReq_Options_ControlOption{},
	}
}

func (r raw) read(t *testing.T, o *streams.ReadReq_Options) ([]*streams.ReadResp, error) {
	t.Helper()
	call, err := r.Read(t.Context(), &streams.ReadReq{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	var list []*streams.ReadResp
	for {
		m, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, m)
	}
}

func TestRead_wire(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	sent := events("0", "1", "2", "3", "4")
	mustAppend(t, c, "s", esdb.NoStream{}, sent)
	rawMetadata(t, c, "s", `{"$tb":2}`, esdb.ContentTypeJson)
	r := dialRaw(t, s)
	// shape names the messages of an answer.
	shape := func(t *testing.T, o *streams.ReadReq_Options) []string {
		t.Helper()
		list, err := r.read(t, o)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, m := range list {
			switch content := m.GetContent().(type) {
			case *streams.ReadResp_Event:
				names = append(names, content.Event.GetEvent().GetMetadata()["type"])
			case *streams.ReadResp_FirstStreamPosition:
				names = append(names, fmt.Sprintf("first %d", content.FirstStreamPosition))
			case *streams.ReadResp_LastStreamPosition:
				names = append(names, fmt.Sprintf("last %d", content.LastStreamPosition))
			default:
				names = append(names, fmt.Sprintf("%T", content))
			}
		}
		return names
	}

	t.Run("a client that does not ask is not told where the stream begins and ends", func(t *testing.T) {
		t.Parallel()
		if d := cmp.Diff([]string{"2", "3", "4"}, shape(t, readRequest(0, 10))); d != "" {
			t.Error(d)
		}
		o := readRequest(0, 10)
		o.ControlOption = nil
		if d := cmp.Diff([]string{"2", "3", "4"}, shape(t, o)); d != "" {
			t.Error(d)
		}
	})
	t.Run("one that asks is", func(t *testing.T) {
		t.Parallel()
		asking := func(from, count uint64) *streams.ReadReq_Options {
			o := readRequest(from, count)
			o.ControlOption.Compatibility = 1
			return o
		}
		for _, test := range []struct {
			from, count uint64
			want        []string
		}{
			{0, 10, []string{"2", "3", "4", "last 4"}},
			{0, 2, []string{"first 2", "2", "3", "last 4"}}, // nothing in the first two
			{3, 1, []string{"3", "last 4"}},
			{5, 1, []string{"last 4"}},
			{9, 1, []string{"first 5", "last 4"}},
		} {
			if d := cmp.Diff(test.want, shape(t, asking(test.from, test.count))); d != "" {
				t.Errorf("%d from %d: %s", test.count, test.from, d)
			}
		}
	})
	t.Run("of a stream whose events are all hidden it is told where the next will be", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "all hidden", esdb.NoStream{}, events("0", "1", "2"))
		rawMetadata(t, c, "all hidden", `{"$tb":3}`, esdb.ContentTypeJson)
		o := readRequest(0, 10)
		o.GetStream().StreamIdentifier.StreamName = []byte("all hidden")
		o.ControlOption.Compatibility = 1
		if d := cmp.Diff([]string{"first 3", "last 2"}, shape(t, o)); d != "" {
			t.Error(d)
		}
	})
	t.Run("ids come in the form that was asked for", func(t *testing.T) {
		t.Parallel()
		o := readRequest(2, 1)
		list, err := r.read(t, o)
		if err != nil || list[0].GetEvent().GetEvent().GetId().GetStructured() == nil {
			t.Error(list, err)
		}
		o.UuidOption.Content = &streams.ReadReq_Options_UUIDOption_String_{String_: &shared.Empty{}}
		list, err = r.read(t, o)
		if err != nil || list[0].GetEvent().GetEvent().GetId().GetString_() != sent[2].EventID.String() {
			t.Error(list, err)
		}
		o.UuidOption = nil
		if _, err = r.read(t, o); status.Code(err) != codes.InvalidArgument {
			t.Error(err)
		}
	})
	t.Run("options that do not go together are refused", func(t *testing.T) {
		t.Parallel()
		backwards := readRequest(0, 1)
		backwards.ReadDirection = streams.ReadReq_Options_Backwards
		backwards.CountOption = &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}}
		filtered := readRequest(0, 1)
		filtered.FilterOption = &streams.ReadReq_Options_Filter{Filter: &streams.ReadReq_Options_FilterOptions{
			Filter: &streams.ReadReq_Options_FilterOptions_EventType{EventType: &streams.ReadReq_Options_FilterOptions_Expression{Prefix: []string{"a"}}},
			Window: &streams.ReadReq_Options_FilterOptions_Max{Max: 32},
		}}
		uncounted := readRequest(0, 1)
		uncounted.CountOption = nil
		nowhere := readRequest(0, 1)
		nowhere.StreamOption = nil
		for _, o := range []*streams.ReadReq_Options{backwards, filtered, uncounted, nowhere} {
			if _, err := r.read(t, o); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%v: %v", o, err)
			}
		}
	})
}
