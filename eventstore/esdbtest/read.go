package esdbtest

import (
	"math"
	"slices"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
)

// pageSize is how many events the server reads of its log at a time.
const pageSize = 32

// reading is one call of Read.
type reading struct {
	db         *database
	stream     streams.Streams_ReadServer
	idAsString bool
	// compatible clients are told where a stream begins and ends; others would
	// stumble over it.
	compatible bool
}

func (r *reading) event(e *record) error { return r.stream.Send(wireEvent(e, r.idAsString)) }

// Read reads a stream or $all, once or for ever.
func (s *streamsService) Read(request *streams.ReadReq, stream streams.Streams_ReadServer) error {
	o := request.GetOptions()
	if o.GetUuidOption() == nil {
		return errInvalidArgument("'uuidOption' is a required argument of type UUIDOption")
	}
	_, asString := o.GetUuidOption().GetContent().(*streams.ReadReq_Options_UUIDOption_String_)
	r := &reading{db: s.db, stream: stream, idAsString: asString, compatible: o.GetControlOption().GetCompatibility() >= 1}
	backwards := o.GetReadDirection() == streams.ReadReq_Options_Backwards
	f, filtered, err := filterOf(o)
	if err != nil {
		return err
	}
	subscribe := false
	switch o.GetCountOption().(type) {
	case *streams.ReadReq_Options_Subscription:
		subscribe = true
	case *streams.ReadReq_Options_Count:
	default:
		return errInvalidArgument("the combination of options is invalid")
	}
	switch target := o.GetStreamOption().(type) {
	case *streams.ReadReq_Options_Stream:
		if filtered || subscribe && backwards {
			return errInvalidArgument("the combination of options is invalid")
		}
		return r.readStream(target.Stream, subscribe, backwards, o.GetCount())
	case *streams.ReadReq_Options_All:
		if subscribe && backwards {
			return errInvalidArgument("the combination of options is invalid")
		}
		return r.readAll(target.All, subscribe, backwards, o.GetCount(), f)
	default:
		return errInvalidArgument("'None' is not a valid stream option")
	}
}

func filterOf(o *streams.ReadReq_Options) (f filter, filtered bool, err error) {
	switch option := o.GetFilterOption().(type) {
	case *streams.ReadReq_Options_Filter:
		f, err = newFilter(option.Filter)
		return f, true, err
	case *streams.ReadReq_Options_NoFilter:
		return noFilter, false, nil
	default:
		return f, false, errInvalidArgument("the combination of options is invalid")
	}
}

func (r *reading) readStream(o *streams.ReadReq_Options_StreamOptions, subscribe, backwards bool, count uint64) error {
	name := string(o.GetStreamIdentifier().GetStreamName())
	from, isStart, err := revisionOption(o)
	if err != nil || name == "" {
		return errException()
	}
	switch {
	case subscribe && isStart:
		return r.subscribeStream(name, -1, false)
	case subscribe:
		return r.subscribeStream(name, from, from < 0)
	case count == 0:
		return errException()
	case backwards:
		return r.streamBackwards(name, from, count)
	case from < 0:
		return errException() // forwards from the end is not a place to read from
	default:
		return r.streamForwards(name, from, count)
	}
}

// revisionOption reads where a stream is to be read from; -1 is its end.
func revisionOption(o *streams.ReadReq_Options_StreamOptions) (from int64, isStart bool, err error) {
	switch option := o.GetRevisionOption().(type) {
	case *streams.ReadReq_Options_StreamOptions_Start:
		return 0, true, nil
	case *streams.ReadReq_Options_StreamOptions_End:
		return -1, false, nil
	case *streams.ReadReq_Options_StreamOptions_Revision:
		from, err = revisionOf(option.Revision)
		return from, false, err
	default:
		return 0, false, errException()
	}
}

// view is a stream as its readers see it: the events from first on that are not
// too old, in order. Exists is false for a stream that was soft deleted or never
// had an event.
type view struct {
	events      []*record
	first, last int64
	exists      bool
	ended       bool
}

func (db *database) view(stream string) view {
	db.mu.RLock()
	defer db.mu.RUnlock()
	v := view{last: db.last(stream)}
	if v.last == deletedStream {
		v.ended = true
		return v
	}
	kept := db.retention(stream)
	if v.last < 0 || kept.truncateBefore == deletedStream {
		return v
	}
	v.exists = true
	v.first = kept.oldest(v.last)
	if v.first > v.last {
		return v
	}
	v.events = slices.Clone(db.streams[stream][v.first:])
	now := db.now()
	v.events = slices.DeleteFunc(v.events, func(e *record) bool { return kept.hides(e, now) })
	return v
}

// open gives the view of a stream that is to be read, having told the client
// where there is none.
func (r *reading) open(stream string) (view, error) {
	v := r.db.view(stream)
	switch {
	case v.ended:
		return v, errStreamDeleted(stream)
	case !v.exists:
		return v, r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_StreamNotFound_{
			StreamNotFound: &streams.ReadResp_StreamNotFound{StreamIdentifier: wireStream(stream)},
		}})
	}
	return v, nil
}

func (r *reading) streamForwards(stream string, from int64, count uint64) error {
	v, err := r.open(stream)
	if err != nil || !v.exists {
		return err
	}
	if err := r.firstPosition(v, from, count); err != nil {
		return err
	}
	sent := uint64(0)
	for _, e := range v.events {
		if e.revision < from || sent == count {
			continue
		}
		if err := r.event(e); err != nil {
			return err
		}
		sent++
	}
	return r.lastPosition(v)
}

func (r *reading) streamBackwards(stream string, from int64, count uint64) error {
	v, err := r.open(stream)
	if err != nil || !v.exists {
		return err
	}
	sent := uint64(0)
	for _, e := range slices.Backward(v.events) {
		if from >= 0 && e.revision > from || sent == count {
			continue
		}
		if err := r.event(e); err != nil {
			return err
		}
		sent++
	}
	return r.lastPosition(v)
}

// firstPosition says where a stream begins if the first page has nothing in it.
func (r *reading) firstPosition(v view, from int64, count uint64) error {
	to := from + int64(min(pageSize, count, math.MaxInt64)) - 1
	inPage := func(e *record) bool { return e.revision >= from && e.revision <= to }
	if !r.compatible || slices.ContainsFunc(v.events, inPage) {
		return nil
	}
	first := v.last + 1
	if to < v.first {
		first = v.first
	} else if i := slices.IndexFunc(v.events, func(e *record) bool { return e.revision > to }); i >= 0 {
		first = v.events[i].revision
	}
	if first == from {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_FirstStreamPosition{FirstStreamPosition: uint64(first)}})
}

func (r *reading) lastPosition(v view) error {
	if !r.compatible {
		return nil
	}
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_LastStreamPosition{LastStreamPosition: uint64(v.last)}})
}
