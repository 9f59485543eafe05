package interact

import "github.com/stepledger/stepledger/domain/task"

// ForgetAll drops what is in memory of every task: the log was put back to an earlier
// state, in which tasks may have gone on otherwise.
func (h *Handler) ForgetAll() {
	h.states.forgetAll()
	h.pages.forgetAll()
}

// Forget drops what is in memory of a task whose content was erased by another process.
// A turn of it that is at work here keeps what it holds until it ends, and can append
// nothing.
func (h *Handler) Forget(id string) {
	h.states.forget(task.Stream(id))
	h.pages.forget(id)
}
