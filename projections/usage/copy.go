package usage

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
)

// copyData is rows on their way into a table, in the binary format of COPY. The
// columns have to come in the table's order and types.
type copyData []byte

// The frame of the format: a signature with no flags and no extension, and a count
// of columns that says there are no more rows.
var (
	copyHeader  = []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	copyTrailer = []byte{0xff, 0xff}
)

// freeRows are buffers for the rows of a page, some megabytes, to be used again.
var freeRows = sync.Pool{New: func() any { return &copyData{} }}

// newRows has room for so many bytes, about; free gives it back.
func newRows(bytes int) *copyData {
	c := freeRows.Get().(*copyData)
	*c = slices.Grow(*c, bytes)
	return c
}

func (c *copyData) free() {
	*c = (*c)[:0]
	freeRows.Put(c)
}

func (c *copyData) row(columns int) { *c = binary.BigEndian.AppendUint16(*c, uint16(columns)) } //nolint:gosec // some forty

func (c *copyData) size(bytes int) { *c = binary.BigEndian.AppendUint32(*c, uint32(bytes)) } //nolint:gosec // of one event's field

func (c *copyData) null() { *c = append(*c, 0xff, 0xff, 0xff, 0xff) }

// text of whatever origin; clean is for those that are known to be such as
// Postgres can hold.
func (c *copyData) text(s string) { c.clean(projections.Text(s)) }

func (c *copyData) clean(columns ...string) {
	for _, s := range columns {
		c.size(len(s))
		*c = append(*c, s...)
	}
}

// json is null where there is nothing.
func (c *copyData) json(j []byte) {
	if len(j) == 0 {
		c.null()
		return
	}
	if utf8.Valid(j) { // as nearly always
		c.size(len(j))
		*c = append(*c, j...)
		return
	}
	c.text(string(j))
}

func (c *copyData) int4(n int) {
	c.size(4)
	*c = binary.BigEndian.AppendUint32(*c, uint32(n)) //nolint:gosec // two's complement is what is meant
}

func (c *copyData) int8(n int64) {
	c.size(8)
	*c = binary.BigEndian.AppendUint64(*c, uint64(n)) //nolint:gosec // two's complement is what is meant
}

func (c *copyData) meters(m usage.Meters) {
	for _, n := range [...]int64{m.InputUncached, m.InputCached, m.InputTool, m.InputAudio, m.Output, m.Thinking} {
		c.int8(n)
	}
}

func (c *copyData) bool(b bool) {
	c.size(1)
	if b {
		*c = append(*c, 1)
	} else {
		*c = append(*c, 0)
	}
}

// epoch is where Postgres counts microseconds from: the year 2000.
const epoch = 946_684_800

func (c *copyData) time(t time.Time) {
	c.int8((t.Unix()-epoch)*1e6 + int64(t.Nanosecond())/1e3)
}

// optionalTime is null for nil.
func (c *copyData) optionalTime(t *time.Time) {
	if t == nil {
		c.null()
		return
	}
	c.time(*t)
}

// amount is an exact numeric; null for nil.
func (c *copyData) amount(p *usage.Pico) {
	if p == nil {
		c.null()
		return
	}
	u := uint64(*p) //nolint:gosec // the magnitude is taken next
	if *p < 0 {
		u = -u
	}
	c.numeric(*p < 0, u/picoPerDollar, u%picoPerDollar)
}

// numeric is dollars and pico-dollars: digits to the base of ten thousand, of which
// the last three are the twelve decimals.
func (c *copyData) numeric(negative bool, dollars, picos uint64) {
	const base, decimals, minus, whole, fraction = 10_000, 12, 0x4000, 5, 3
	var digits [whole + fraction]uint16
	for i := len(digits) - 1; i >= whole; i-- {
		digits[i], picos = uint16(picos%base), picos/base //nolint:gosec // below the base
	}
	for i := whole - 1; i >= 0; i-- {
		digits[i], dollars = uint16(dollars%base), dollars/base //nolint:gosec // below the base
	}
	first, end := 0, len(digits)
	for first < end && digits[first] == 0 {
		first++
	}
	for end > first && digits[end-1] == 0 {
		end--
	}
	weight, sign := int16(whole-1-first), uint16(0) //nolint:gosec // 4 to -3
	if first == end {
		weight = 0
	}
	if negative {
		sign = minus
	}
	c.size(8 + 2*(end-first))
	*c = binary.BigEndian.AppendUint16(*c, uint16(end-first)) //nolint:gosec // at most eight
	*c = binary.BigEndian.AppendUint16(*c, uint16(weight))    //nolint:gosec // two's complement is what is meant
	*c = binary.BigEndian.AppendUint16(*c, sign)
	*c = binary.BigEndian.AppendUint16(*c, decimals)
	for _, d := range digits[first:end] {
		*c = binary.BigEndian.AppendUint16(*c, d)
	}
}
