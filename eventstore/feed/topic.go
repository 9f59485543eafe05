package feed

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/eventstore"
)

// ParseTopic returns the filter of a topic. A topic is a list of names separated by
// commas: one with a dot is an event type, one without a category. "task" is every
// event of every task; "task.task_completed.v1,task.task_failed.v1" are two types.
// The error is an *eventstore.InvalidError.
func ParseTopic(topic string) (eventstore.Filter, error) {
	var f eventstore.Filter
	for name := range strings.SplitSeq(topic, ",") {
		switch {
		case name == "" || strings.TrimSpace(name) != name:
			return f, &eventstore.InvalidError{What: "topic", Why: fmt.Sprintf("%q has a name that is empty or padded", topic)}
		case strings.Contains(name, "."):
			f.Types = append(f.Types, name)
		default:
			f.Categories = append(f.Categories, name)
		}
	}
	_, err := eventstore.CheckReadAll(0, 0, f)
	return f, err
}
