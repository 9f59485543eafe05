package llm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// judge returns the vectors, each of length one, or the error that says why they are not
// usable.
func (b batch) judge(list [][]float32, used *Usage) ([][]float32, error) {
	bad := func(cause error) error { return &Error{Kind: Malformed, Usage: used, Cause: cause} }
	if len(list) != len(b.request.Texts) {
		return nil, bad(fmt.Errorf("there are %d vectors for %d texts", len(list), len(b.request.Texts)))
	}
	want := b.request.Dimensions
	out := make([][]float32, len(list))
	for i, v := range list {
		if want == 0 {
			want = len(v)
		}
		if len(v) != want {
			return nil, bad(errDimensions(len(v), want))
		}
		unit, err := normal(v)
		if err != nil {
			return nil, bad(err)
		}
		out[i] = unit
	}
	return out, nil
}

func errDimensions(got, want int) error {
	return fmt.Errorf("a vector has %d dimensions, not %d", got, want)
}

// normal is a vector of length one in the same direction: models give shortened vectors
// of any length.
func normal(v []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return nil, errors.New("a vector has numbers that are none")
	case sum == 0:
		return nil, errors.New("a vector has no direction")
	}
	out, length := make([]float32, len(v)), math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, nil
}

// keptUnder identifies what is asked for: the key, the provider and everything that is
// sent.
func (b batch) keptUnder() string {
	body, err := json.Marshal(struct {
		Task, Key, Provider string
		Sent                EmbedRequest
	}{b.On.Task, b.Key, b.target.Provider, b.request})
	if err != nil {
		panic("llm: texts are always JSON: " + err.Error())
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// vectorRecord is vectors as they are stored, with their bill: four bytes a number, the
// lowest first. CompletedOf reads it too.
type vectorRecord struct {
	Vectors   [][]byte      `json:"vectors"`
	Completed CallCompleted `json:"completed"`
}

// findVectors looks for vectors that were paid before, makes sure they are on the ledger,
// and judges them like new ones.
func (c *Client) findVectors(ctx context.Context, b batch) ([][]float32, bool, error) {
	body, ref, ok, err := c.o.Recorder.KeptAnswer(ctx, b.On, b.key)
	if err != nil {
		return nil, false, &Error{Kind: Unrecorded, Msg: "look for kept vectors", Cause: err}
	}
	if !ok {
		return nil, false, nil
	}
	var r vectorRecord
	if err := json.Unmarshal(body, &r); err != nil || r.Completed.Call == "" {
		return nil, false, nil //nolint:nilerr // of another form: as good as none
	}
	r.Completed.AnswerRef = ref
	if err := c.complete(ctx, r.Completed); err != nil {
		return nil, false, err
	}
	vectors, err := b.judge(unpackAll(r.Vectors), r.Completed.Usage)
	return vectors, true, err
}

func packAll(list [][]float32) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		for _, x := range v {
			out[i] = binary.LittleEndian.AppendUint32(out[i], math.Float32bits(x))
		}
	}
	return out
}

func unpackAll(list [][]byte) [][]float32 {
	out := make([][]float32, len(list))
	for i, b := range list {
		out[i] = Unpack(b)
	}
	return out
}

// Unpack reads numbers of four bytes, the lowest first, nil if the bytes are not whole
// numbers.
func Unpack(b []byte) []float32 {
	if len(b)%4 != 0 {
		return nil
	}
	out := make([]float32, 0, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return out
}
