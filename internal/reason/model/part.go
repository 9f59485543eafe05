package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// renderPart says which part of a task is to be done now, what is known for it and what
// it has to find out.
func renderPart(p *reasoning.Part) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "part %d of %d: %s\n", p.Number, p.Of, prompt.Clip(p.Goal, maxThought))
	for _, v := range p.Known {
		fmt.Fprintf(&b, "known: %s = %s\n", prompt.Clip(v.Name, maxName), prompt.Clip(v.Value, maxThought))
	}
	for _, name := range p.Outputs {
		fmt.Fprintf(&b, "to find out: %s\n", prompt.Clip(name, maxName))
	}
	return strings.TrimRight(b.String(), "\n")
}

// renderParts lists the parts a task is divided into.
func renderParts(list []plan.SubTask) string {
	var b strings.Builder
	for i, s := range list {
		fmt.Fprintf(&b, "part %d: %s", i+1, prompt.Clip(s.Goal, maxName))
		if len(s.Inputs) > 0 {
			fmt.Fprintf(&b, "; needs %s", prompt.Clip(strings.Join(s.Inputs, ", "), maxThought))
		}
		if len(s.Outputs) > 0 {
			fmt.Fprintf(&b, "; gives %s", prompt.Clip(strings.Join(s.Outputs, ", "), maxThought))
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// readOutputs reads the values that a part of the task found, by the names of its
// contract. Names may differ in case; numbers are read as they are written.
func readOutputs(o map[string]json.RawMessage, q reasoning.ActQuestion) map[string]string {
	if q.Part == nil {
		return nil
	}
	said := map[string]any{}
	var list []struct {
		Name  string
		Value any
	}
	if json.Unmarshal(o["outputs"], &list) == nil {
		for _, v := range list {
			said[v.Name] = v.Value
		}
	} else if json.Unmarshal(o["outputs"], &said) != nil { // many write it as an object
		return nil
	}
	out := map[string]string{}
	for _, name := range q.Part.Outputs {
		for key, value := range said {
			if strings.EqualFold(strings.TrimSpace(key), name) && value != nil {
				out[name] = prompt.Clip(page.Clean(blankSecrets(q.On, fmt.Sprint(value))), maxThought)
			}
		}
	}
	return out
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
