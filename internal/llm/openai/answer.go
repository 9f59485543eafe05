package openai

import (
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// answer returns the text of a chat completion and why it ended. A refusal in words
// counts as one whatever the reason beside it. Compatible endpoints answer a refused
// prompt with no choices.
func answer(body wire.Members) (string, llm.Finish) {
	if choices := body.List("choices"); choices != nil && len(choices) == 0 {
		return "", llm.Refused
	}
	choice := body.First("choices")
	message := choice.Members("message")
	if message.Text("refusal") != "" {
		return "", llm.Refused
	}
	text := content(message)
	switch choice.Text("finish_reason") {
	case "stop":
		return text, llm.Stop
	case "length":
		return text, llm.MaxTokens
	case "content_filter":
		return text, llm.Refused
	}
	return text, llm.Other
}

// content returns the text of a message. Some endpoints give it in parts, with the
// model's thoughts among them.
func content(message wire.Members) string {
	var b strings.Builder
	for _, raw := range message.List("content") {
		part, _ := wire.ReadMembers(raw)
		if part.Text("type") == "text" {
			b.WriteString(part.Text("text"))
		}
	}
	return message.Text("content") + b.String()
}
