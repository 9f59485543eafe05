package domain

// Codes of errors, for programs: the part of the HTTP contract that says what went
// wrong. A code never changes its meaning, and is given by one of these constants. The
// status a caller gets is that of the error's kind (Kind); below are the usual ones.
// Codes a client reports of its own actions (ELEMENT_NOT_FOUND, ...) are not among
// them.
const (
	// Input that is never accepted as it is: 400.

	// CodeValidation is a field with a value that is not allowed; Field names it.
	CodeValidation = "VALIDATION_ERROR"
	// CodeInvalidRequest is a request that cannot be read: no JSON, a broken query
	// string; with 405 a method, with 413 a length, with 415 a format nobody takes.
	CodeInvalidRequest = "INVALID_REQUEST"
	// CodeActionFormat is a text that is not an action of the action language.
	CodeActionFormat = "INVALID_ACTION_FORMAT"
	// CodeInvalidAction is an action that the page cannot have.
	CodeInvalidAction = "INVALID_ACTION"
	// CodeInvalidPlan is a plan that contradicts itself.
	CodeInvalidPlan = "INVALID_PLAN"
	// CodeInvalidUsage is an account of a model call that cannot be true.
	CodeInvalidUsage = "INVALID_USAGE"
	// CodeTooComplex is a page and a task that cannot be worked through in the time a
	// turn has; a second such turn in a row ends the task with it.
	CodeTooComplex = "TOO_COMPLEX"

	// Who calls: 401, and 403 for CodeAccountDisabled and CodeForbidden.

	// CodeUnauthorized is a token that is missing, unknown, expired or revoked.
	CodeUnauthorized = "UNAUTHORIZED"
	// CodeInvalidCredentials is a wrong email address or password.
	CodeInvalidCredentials = "INVALID_CREDENTIALS"
	// CodeAccountDisabled is the right password of an account that may not log in.
	CodeAccountDisabled = "ACCOUNT_DISABLED"
	// CodeForbidden is what the caller's role may not do.
	CodeForbidden = "FORBIDDEN"

	// What does not exist, or belongs to another tenant: 404.

	// CodeNotFound is anything without a code of its own.
	CodeNotFound = "NOT_FOUND"
	// CodeTaskNotFound is an unknown task, or a revision it has not reached.
	CodeTaskNotFound = "TASK_NOT_FOUND"
	// CodeSessionNotFound is an unknown session, or an archived one where those do not count.
	CodeSessionNotFound = "SESSION_NOT_FOUND"
	// CodeCallNotFound is a model call that is not on its ledger.
	CodeCallNotFound = "CALL_NOT_FOUND"
	// CodeProjectionNotFound is a read model this program does not have.
	CodeProjectionNotFound = "PROJECTION_NOT_FOUND"
	// CodeStatementNotFound is a statement that was never issued.
	CodeStatementNotFound = "STATEMENT_NOT_FOUND"

	// What the present state refuses: 409.

	// CodeConflict is a wish that something else stands against: another request of the
	// task, a key used with another body, an account that exists.
	CodeConflict = "RESOURCE_CONFLICT"
	// CodeTaskCompleted is a request to a task that has ended.
	CodeTaskCompleted = "TASK_COMPLETED"
	// CodeTaskPaused is a turn of a task that somebody holds: the same request is served
	// once the task was handed back.
	CodeTaskPaused = "TASK_PAUSED"
	// CodeTaskStopped is the request that was at work when its user stopped the task.
	CodeTaskStopped = "TASK_STOPPED"
	// CodeSubmitUndecided is a second submission before it is known what the first one did.
	CodeSubmitUndecided = "UNSETTLED"
	// CodeCallConflict is a second and different bill of a model call.
	CodeCallConflict = "CALL_CONFLICT"
	// CodeStatementNotDue is a statement of a month that is not over or not complete.
	CodeStatementNotDue = "STATEMENT_NOT_DUE"

	// Too much: 429, with the time to wait.

	// CodeRateLimit is more requests or bytes than a tenant or an address may send.
	CodeRateLimit = "RATE_LIMIT"
	// CodeQuotaExceeded is a model call its tenant's budget has no room for.
	CodeQuotaExceeded = "QUOTA_EXCEEDED"

	// Trouble that may pass: 503, with the time to wait.

	// CodeTimeout is an answer that took too long.
	CodeTimeout = "TIMEOUT"
	// CodeBusy is a server with too many requests under way, or too large ones, or about to
	// stop.
	CodeBusy = "SERVER_BUSY"
	// CodeDatabase is a database or event store that cannot be reached, or a read model
	// too far behind it.
	CodeDatabase = "DATABASE_ERROR"
	// CodeExternalService is the database of accounts that did not answer.
	CodeExternalService = "EXTERNAL_SERVICE_ERROR"
	// CodeExportsBusy is an export while as many as may be are under way.
	CodeExportsBusy = "EXPORTS_BUSY"
	// CodeUsageBuilding is a sum of usage before there are any sums.
	CodeUsageBuilding = "USAGE_BUILDING"
	// CodeNewerVersion is what a newer version of the server has stored, and this one cannot
	// read: another server may be of that version.
	CodeNewerVersion = "NEWER_VERSION"
	// CodeTracing is a tracing system that did not take what it was sent.
	CodeTracing = "TRACING_UNAVAILABLE"
	// CodeLLM is a model that cannot be reached or does not give a usable answer: 503, or
	// 500 where trying again does not help. A task that failed for it has it too.
	CodeLLM = "LLM_ERROR"

	// CodeInternal is a fault of ours: 500.
	CodeInternal = "INTERNAL_ERROR"

	// Why a task failed. A limit is answered with 400 and its code; where the agent gave
	// up the answer is fail() with 200.

	// CodeMaxSteps: the task was not finished within its number of steps.
	CodeMaxSteps = "MAX_STEPS_EXCEEDED"
	// CodeMaxTokens: the model calls of the task used what they may.
	CodeMaxTokens = "MAX_TOKENS_EXCEEDED"
	// CodeMaxRetries: one step did not work, corrections included.
	CodeMaxRetries = "MAX_RETRIES_EXCEEDED"
	// CodeMaxFailures: too many actions in a row did not work.
	CodeMaxFailures = "CONSECUTIVE_FAILURES_EXCEEDED"
	// CodeVelocity: steps worked, and led to nothing new.
	CodeVelocity = "VELOCITY"
	// CodeLoop: the same actions were done again and again.
	CodeLoop = "LOOP_DETECTED"
	// CodeGaveUp: the agent or the user decided to stop.
	CodeGaveUp = "GAVE_UP"
	// CodeCancelled: its user cancelled the task.
	CodeCancelled = "CANCELLED"
	// CodeNoReply: too many questions in a row were asked.
	CodeNoReply = "NO_REPLY"
)
