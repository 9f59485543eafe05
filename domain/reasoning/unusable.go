package reasoning

import "errors"

// ErrUnusable is the cause of an error for an answer that could not be used, also after
// it was repaired. Asking the same again would not help, and no task ends because of it.
var ErrUnusable = errors.New("the answer could not be used")
