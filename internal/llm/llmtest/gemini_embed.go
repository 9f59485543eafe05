package llmtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
)

// instructions are how the texts begin for models that are told in words what a text is
// for.
var instructions = map[string]bool{"task: search result | query: ": true, "title: none | text: ": false}

func (gemini) readEmbed(r *http.Request, body []byte) (*llm.EmbedRequest, error) {
	model, ok := strings.CutSuffix(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ":batchEmbedContents")
	if !ok {
		return nil, nil //nolint:nilnil // it asks for something else
	}
	var b struct {
		Requests []struct {
			Model                string
			Content              struct{ Parts []geminiPart }
			TaskType             string
			OutputDimensionality int
		}
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	q := &llm.EmbedRequest{Model: model}
	if n := len(b.Requests); n == 0 || n > 100 {
		return q, errors.New("at least one and at most 100 requests can be in one batch")
	}
	for _, one := range b.Requests {
		if one.Model != "models/"+model || len(one.Content.Parts) != 1 {
			return q, errors.New("a request is for another model, or not of one part")
		}
		text := one.Content.Parts[0].Text
		switch one.TaskType {
		case "RETRIEVAL_QUERY":
			q.Questions = true
		case "RETRIEVAL_DOCUMENT":
		default:
			told := false
			for words, questions := range instructions {
				if rest, found := strings.CutPrefix(text, words); found {
					text, q.Questions, told = rest, questions, true
				}
			}
			if !told {
				return q, errors.New("nobody says what the text is for")
			}
		}
		q.Texts, q.Dimensions = append(q.Texts, text), one.OutputDimensionality
	}
	return q, nil
}

func (gemini) vectors(s Step, _ map[string]any, q llm.EmbedRequest) []byte {
	list := make([]string, 0, len(q.Texts))
	for _, v := range s.vectors(q) {
		list = append(list, `{"values":`+digits(v)+`}`)
	}
	out := `{"embeddings":[` + strings.Join(list, ",") + `]`
	if u := s.embedUsage(len(q.Texts)); u != nil {
		out += `,"usageMetadata":` + account(s, map[string]any{"promptTokenCount": u.Input(), "totalTokenCount": u.Total})
	}
	return []byte(out + "}")
}
