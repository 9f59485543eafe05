package interact

import "github.com/stepledger/stepledger/domain/task"

// Forget drops what is in memory of a task whose content was erased by another process.
// A turn of it that is at work here keeps what it holds until it ends, and can append
// nothing.
func (h *Handler) Forget(id string) {
	h.states.forget(task.Stream(id))
	h.pages.forget(id)
}
