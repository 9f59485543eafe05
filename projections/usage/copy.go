package usage

import (
	"encoding/binary"
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

func (c *copyData) row(columns int) { *c = binary.BigEndian.AppendUint16(*c, uint16(columns)) } //nolint:gosec // some forty

func (c *copyData) size(bytes int) { *c = binary.BigEndian.AppendUint32(*c, uint32(bytes)) } //nolint:gosec // of one event's field

func (c *copyData) null() { *c = append(*c, 0xff, 0xff, 0xff, 0xff) }

func (c *copyData) text(s string) {
	s = projections.Text(s)
	c.size(len(s))
	*c = append(*c, s...)
}

// texts are several columns.
func (c *copyData) texts(all ...string) {
	for _, s := range all {
		c.text(s)
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

// amount is an exact numeric: digits to the base of ten thousand, of which the
// last three are the twelve decimals. Null for nil.
func (c *copyData) amount(p *usage.Pico) {
	if p == nil {
		c.null()
		return
	}
	const base, decimals, negative = 10_000, 12, 0x4000
	u, sign := uint64(*p), uint16(0) //nolint:gosec // the magnitude is taken next
	if *p < 0 {
		u, sign = -u, negative
	}
	var digits [5]uint16 // the largest amount has two before the point
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i], u = uint16(u%base), u/base //nolint:gosec // below the base
	}
	first, end := 0, len(digits)
	for first < end && digits[first] == 0 {
		first++
	}
	for end > first && digits[end-1] == 0 {
		end--
	}
	weight := int16(1 - first) //nolint:gosec // 1 to -3
	if first == end {
		weight = 0
	}
	c.size(8 + 2*(end-first))
	*c = binary.BigEndian.AppendUint16(*c, uint16(end-first)) //nolint:gosec // at most five
	*c = binary.BigEndian.AppendUint16(*c, uint16(weight))    //nolint:gosec // two's complement is what is meant
	*c = binary.BigEndian.AppendUint16(*c, sign)
	*c = binary.BigEndian.AppendUint16(*c, decimals)
	for _, d := range digits[first:end] {
		*c = binary.BigEndian.AppendUint16(*c, d)
	}
}
