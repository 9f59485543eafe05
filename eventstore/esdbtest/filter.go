package esdbtest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// filter narrows $all on the server's side.
type filter struct {
	matches func(*record) bool
	// window is how many events the server looks at before it turns a page.
	window int
	// interval is how many events there are between two checkpoints.
	interval int
}

// noFilter lets everything through.
var noFilter = filter{matches: func(*record) bool { return true }, window: 1<<31 - 1}

func newFilter(o *streams.ReadReq_Options_FilterOptions) (filter, error) {
	f := filter{}
	switch w := o.GetWindow().(type) {
	case *streams.ReadReq_Options_FilterOptions_Max:
		f.window = int(w.Max)
	case *streams.ReadReq_Options_FilterOptions_Count:
		f.window = pageSize
	default:
		return f, errInvalidArgument("'None' is not a valid window")
	}
	if f.window == 0 {
		return f, errException()
	}
	f.interval = f.window * int(o.GetCheckpointIntervalMultiplier())
	var field func(*record) string
	var expression *streams.ReadReq_Options_FilterOptions_Expression
	switch e := o.GetFilter().(type) {
	case *streams.ReadReq_Options_FilterOptions_StreamIdentifier:
		field, expression = func(r *record) string { return r.stream }, e.StreamIdentifier
	case *streams.ReadReq_Options_FilterOptions_EventType:
		field, expression = func(r *record) string { return r.typ }, e.EventType
	default:
		return f, errInvalidArgument("'None' is not a valid filter")
	}
	match, err := matcher(expression)
	f.matches = func(r *record) bool { return match(field(r)) }
	return f, err
}

// matcher has the regular expression win over prefixes.
func matcher(e *streams.ReadReq_Options_FilterOptions_Expression) (func(string) bool, error) {
	if e.GetRegex() == "" {
		return func(s string) bool {
			return slices.ContainsFunc(e.GetPrefix(), func(p string) bool { return strings.HasPrefix(s, p) })
		}, nil
	}
	// The server's own expressions know a few constructs more than these.
	x, err := regexp.Compile(e.GetRegex())
	if err != nil {
		return nil, errException()
	}
	return x.MatchString, nil
}
