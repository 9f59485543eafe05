package llmtest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
)

func (openAI) readEmbed(r *http.Request, body []byte) (*llm.EmbedRequest, error) {
	if !strings.HasSuffix(r.URL.Path, "/embeddings") {
		return nil, nil //nolint:nilnil // it asks for something else
	}
	var b struct {
		Model          string
		Input          []string
		Dimensions     int
		EncodingFormat string `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	q := &llm.EmbedRequest{Model: b.Model, Texts: b.Input, Dimensions: b.Dimensions}
	if len(b.Input) == 0 || len(b.Input) > 2048 || slices.Contains(b.Input, "") {
		return q, errors.New("'$.input' is invalid")
	}
	if f := b.EncodingFormat; f != "" && f != "base64" && f != "float" {
		return q, fmt.Errorf("the encoding format is %s", f)
	}
	return q, nil
}

// vectors come in the reverse order of the texts: their indexes say whose they are.
func (openAI) vectors(s Step, body map[string]any, q llm.EmbedRequest) []byte {
	var list []string
	for i, v := range slices.Backward(s.vectors(q)) {
		form := digits(v)
		if body["encoding_format"] == "base64" {
			form = strconv.Quote(base64.StdEncoding.EncodeToString(packed(v)))
		}
		list = append(list, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, form))
	}
	out := fmt.Sprintf(`{"object":"list","model":%q,"data":[%s]`, q.Model, strings.Join(list, ","))
	if u := s.embedUsage(len(q.Texts)); u != nil {
		out += `,"usage":` + account(s, map[string]any{"prompt_tokens": u.Input(), "total_tokens": u.Total})
	}
	return []byte(out + "}")
}

// account is the step's, or else the one that is said.
func account(s Step, said map[string]any) string {
	if s.Account != nil {
		return string(s.Account)
	}
	b, err := json.Marshal(said)
	if err != nil {
		panic("llmtest: counts are JSON: " + err.Error())
	}
	return string(b)
}

// digits is a vector as servers write it, who do not mind what JSON has no word for.
func digits(v []float32) string {
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = strconv.FormatFloat(float64(x), 'g', -1, 32)
	}
	return "[" + strings.NewReplacer("+Inf", "Infinity", "-Inf", "-Infinity").Replace(strings.Join(words, ",")) + "]"
}

func packed(v []float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
