package api

import (
	"net/http"

	"github.com/stepledger/stepledger/domain/account"
)

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// routes registers every route: method, path, operation id, rate limit class, body
// and handler.
func (s *Server) routes() {
	registerBody(s, route{post, "/api/v1/auth/login", "login", account.SignIn, takes[LoginBody](smallBody), "Exchange an email address and a password for a token"}, s.login)
	register(s, route{get, "/api/v1/auth/session", "currentSession", account.Account, nil, "Say whose token this is"}, s.currentSession)
	register(s, route{post, "/api/v1/auth/logout", "logout", account.Account, nil, "Revoke the token at once"}, s.logout)
	registerBody(s, route{post, "/api/v1/auth/invite/accept", "acceptInvite", account.SignIn, takes[AcceptBody](smallBody), "Accept an invitation with a password of one's own, and log in"}, s.acceptInvite)
	registerBody(s, route{post, "/api/v1/auth/password", "changePassword", account.Account, takes[PasswordBody](smallBody), "Change the caller's password, end all their logins and log in anew"}, s.changePassword)
	register(s, route{get, "/api/v1/auth/logins", "logins", account.Account, nil, "List the caller's logins"}, s.logins)
	register(s, route{post, "/api/v1/auth/logins/{loginId}/revoke", "revokeLogin", account.Account, nil, "End one of the caller's logins"}, s.revokeLogin)
	register(s, route{post, "/api/v1/auth/logins/revoke", "revokeOtherLogins", account.Account, nil, "End all logins of the caller but this one"}, s.revokeOtherLogins)
	register(s, route{get, "/api/v1/user/preferences", "preferences", account.Account, nil, "Read the caller's preferences"}, s.preferences)
	registerBody(s, route{post, "/api/v1/user/preferences", "savePreferences", account.Account, takes[PreferencesBody](smallBody), "Replace the caller's preferences"}, s.savePreferences)

	register(s, route{get, "/api/admin/tenant", "tenant", account.Account, nil, "Read the tenant"}, s.tenant)
	registerBody(s, route{post, "/api/admin/tenant/domains", "setDomains", account.Account, takes[DomainsBody](smallBody), "Replace the host patterns the tenant's own knowledge is about"}, s.setDomains)
	register(s, route{get, "/api/admin/users", "users", account.Account, nil, "List the tenant's users"}, s.users)
	registerBody(s, route{post, "/api/admin/users/{userId}/role", "setRole", account.Account, takes[RoleBody](smallBody), "Change a user's role"}, s.setRole)
	register(s, route{post, "/api/admin/users/{userId}/disable", "disableUser", account.Account, nil, "End a user's logins and refuse new ones"}, s.disableUser)
	register(s, route{post, "/api/admin/users/{userId}/enable", "enableUser", account.Account, nil, "Let a disabled user log in again"}, s.enableUser)
	register(s, route{post, "/api/admin/users/{userId}/revoke", "revokeUser", account.Account, nil, "End a user's logins"}, s.revokeUser)
	register(s, route{get, "/api/admin/invites", "invites", account.Account, nil, "List the tenant's invitations, newest first"}, s.invites)
	registerBody(s, route{post, "/api/admin/invites", "invite", account.Account, takes[InviteBody](smallBody), "Invite a person to the tenant"}, s.invite)
	register(s, route{post, "/api/admin/invites/{inviteId}/revoke", "revokeInvite", account.Account, nil, "Close an open invitation"}, s.revokeInvite)
	register(s, route{get, "/api/admin/audit", "audit", account.Account, nil, "Read who changed what in the tenant, newest first"}, s.audit)
	registerBody(s, route{post, "/api/admin/erasures", "requestErasure", account.Account, takes[ErasureBody](smallBody), "Erase a user, a task or the tenant for ever: recorded at once, done in the background; repeating it is the same erasure"}, s.requestErasure)
	register(s, route{get, "/api/admin/erasures", "erasures", account.Account, nil, "List what was erased of the tenant, newest first"}, s.erasures)
	register(s, route{get, "/api/admin/erasures/{erasureId}", "erasure", account.Account, nil, "Say how an erasure stands, and what it found"}, s.erasure)
	register(s, route{post, "/api/task/{taskId}/stop", "stopTask", account.Session, nil, "Interrupt a task of one's own until it is resumed, or its next request comes; repeating it changes nothing"}, s.controlTask(Control.StopTask))
	register(s, route{post, "/api/task/{taskId}/cancel", "cancelTask", account.Session, nil, "End a task of one's own for good: failed, with the code CANCELLED; repeating it changes nothing"}, s.controlTask(Control.CancelTask))
	register(s, route{post, "/api/task/{taskId}/resume", "resumeOwnTask", account.Session, nil, "Let an interrupted task of one's own go on; repeating it changes nothing"}, s.controlTask(Control.ResumeTask))

	registerBody(s, route{post, "/api/agent/interact", "interact", account.Interact, takes[InteractBody](interactBody), "Send the page, get the next action"}, s.interact)
	register(s, route{get, "/api/knowledge/resolve", "resolveKnowledge", account.Resolve, nil, "Show what the tenant's organisation knows about a page, for those who look into an answer"}, s.resolveKnowledge)

	s.libraryRoutes()

	register(s, route{get, "/api/session", "sessions", account.Session, nil, "List the caller's sessions"}, s.sessions)
	registerBody(s, route{post, "/api/session", "archiveSession", account.Session, takes[ArchiveBody](smallBody), "Archive a session"}, s.archiveSession)
	register(s, route{get, "/api/session/latest", "latestSession", account.Session, nil, "Find the session touched last"}, s.latestSession)
	register(s, route{get, "/api/session/{sessionId}/messages", "messages", account.Session, nil, "Read a conversation"}, s.messages)
	register(s, route{get, "/api/session/{sessionId}/task/active", "activeTask", account.Session, nil, "Recover the id of the task at work"}, s.activeTask)

	register(s, route{get, "/api/usage/summary", "usageSummary", account.Usage, nil, "Sum tokens and cost of the tenant"}, s.usageSummary)
	register(s, route{get, "/api/usage/calls", "usageCalls", account.Usage, nil, "List the model calls of the tenant"}, s.usageCalls)
	register(s, route{get, "/api/usage/export", "usageExport", account.Usage, nil, "Export the model calls of the tenant as CSV"}, s.usageExport)
	register(s, route{get, "/api/usage/budget", "usageBudget", account.Usage, nil, "Say what the tenant may spend this month and has spent"}, s.usageBudget)

	register(s, route{get, "/api/usage/statements", "statements", account.Usage, nil, "List the tenant's statements, newest first"}, s.statements)
	register(s, route{get, "/api/usage/statements/{month}", "statement", account.Usage, nil, "Read the statement of a month, as issued or as it would be now"}, s.statement)
	register(s, route{post, "/api/usage/statements/{month}/issue", "issueStatement", account.Usage, nil, "Make the statement of a month final"}, s.issueStatement)

	register(s, route{get, "/api/debug/tasks", "taskList", account.Debug, nil, "List the tenant's tasks with what they cost, newest first"}, s.taskList)
	register(s, route{get, "/api/debug/tasks/{taskId}/events", "taskEvents", account.Debug, nil, "Read a task's events"}, s.taskEvents)
	register(s, route{get, "/api/debug/tasks/{taskId}/turns", "taskTurns", account.Debug, nil, "Read a task turn by turn: pages, verdicts, actions, model calls and their cost"}, s.taskTurns)
	register(s, route{get, "/api/debug/tasks/{taskId}/turns/{turn}", "taskTurn", account.Debug, nil, "Read one turn of a task"}, s.taskTurn)
	register(s, route{get, "/api/debug/tasks/{taskId}/turns/{turn}/page", "turnPage", account.Debug, nil, "Show the page a turn began on, as a document that does nothing"}, s.turnPage)
	register(s, route{get, "/api/debug/tasks/{taskId}/calls/{callId}", "taskCall", account.Debug, nil, "Read a model call of a task with its prompt and answer"}, s.taskCall)
	register(s, route{get, "/api/debug/tasks/{taskId}/state", "taskState", account.Debug, nil, "Fold a task up to a revision"}, s.taskState)
	register(s, route{get, "/api/debug/tasks/{taskId}/diff", "taskDiff", account.Debug, nil, "Compare two states of a task, each changed field with the event that set it"}, s.taskDiff)
	register(s, route{get, "/api/debug/tasks/{taskId}/fields", "taskFields", account.Debug, nil, "Say of every field of a task's state which event set it"}, s.taskFields)
	register(s, route{get, "/api/debug/tasks/{taskId}/graph", "taskGraph", account.Debug, nil, "Say what led to what in a task, recorded and inferred apart"}, s.taskGraph)
	register(s, route{get, "/api/debug/tasks/{taskId}/replay", "taskReplay", account.Replay, nil, "Decide a task anew from its recorded pages and answers, and say what differs"}, s.taskReplay)
	register(s, route{get, "/api/debug/tasks/{taskId}/bisect", "taskBisect", account.Debug, nil, "Find the first revision at which a condition on the state holds"}, s.taskBisect)
	registerBody(s, route{post, "/api/debug/tasks/{taskId}/forks", "taskFork", account.Replay, takes[ForkBody](interactBody), "Decide a turn anew with something changed, as an experiment of its own"}, s.taskFork)
	register(s, route{get, "/api/debug/compare", "taskCompare", account.Debug, nil, "Put two tasks side by side, aligned by turn"}, s.taskCompare)

	registerBody(s, route{post, "/api/debug/tasks/{taskId}/pause", "pauseTask", account.Debug, takes[PauseBody](smallBody), "Pause a task or take it over: until it is handed back its requests are refused with TASK_PAUSED"}, s.pauseTask)
	registerBody(s, route{post, "/api/debug/tasks/{taskId}/resume", "resumeTask", account.Debug, takes[ResumeBody](smallBody), "Hand a task back, with a note for the agent"}, s.resumeTask)

	register(s, route{get, "/api/debug/logs", "logs", account.Debug, nil, "Read the debug log of the last seven days, of a task or of the whole tenant, newest first"}, s.logs)
	register(s, route{get, "/api/debug/session/{taskId}/export", "sessionExport", account.Debug, nil, "Export a task with its events, pages and model calls, without secrets"}, s.sessionExport)

	register(s, route{get, "/api/debug/projections", "projectionList", account.Debug, nil, "Say how far the read models have come"}, s.projectionList)
	register(s, route{get, "/api/debug/projections/parked", "parked", account.Debug, nil, "List the tenant's events that read models have put aside"}, s.parked)
	register(s, route{post, "/api/debug/projections/{projection}/retry", "retryParked", account.Debug, nil, "Apply what a read model has put aside of the tenant, after the cause was mended"}, s.retryParked)

	register(s, route{get, "/api/debug/calibration", "calibration", account.Debug, nil, "Compare the tenant's scores of plans and confidence of actions with what happened"}, s.calibration)

	register(s, route{get, "/api/debug/skills", "skillList", account.Debug, nil, "List what corrections have taught the tenant's agent"}, s.skillList)

	register(s, route{get, "/api/health", "health", account.Public, nil, "Say how the services are"}, s.health)
	register(s, route{get, "/api/health/live", "live", account.Public, nil, "Say that the process serves, whatever else does not: restart it if this is not answered"}, s.live)
	register(s, route{get, "/api/health/ready", "ready", account.Public, nil, "Say whether turns may be sent to this process"}, s.ready)
}

// libraryRoutes are those of what is known.
func (s *Server) libraryRoutes() {
	const sources = "/api/knowledge/sources"
	registerBody(s, route{post, "/api/knowledge/ingest", "ingest", account.Debug, takes[IngestBody](ingestBody), "Add a file to what the tenant knows: received at once, read in the background"}, s.ingest)
	registerBody(s, route{post, "/api/knowledge/index-link", "indexLink", account.Debug, takes[LinkBody](smallBody), "Add a page or a site to what the tenant knows: visited in the background"}, s.indexLink)
	registerBody(s, route{post, "/api/knowledge/seen", "keepSeen", account.Debug, takes[SeenBody](smallBody), "Keep the pages of a site that the agent works on from now on, as what the tenant knows"}, s.keepSeen)
	register(s, route{get, sources, "sources", account.Debug, nil, "List the tenant's sources, and how far they have come"}, s.sources)
	register(s, route{get, sources + "/{sourceId}", "source", account.Debug, nil, "Say how a source stands"}, s.source)
	register(s, route{get, sources + "/{sourceId}/documents", "documents", account.Debug, nil, "List the documents of a source with how they ended and why"}, s.documents)
	register(s, route{get, sources + "/{sourceId}/documents/{documentId}", "document", account.Debug, nil, "Say how a document stands"}, s.document)
	register(s, route{post, sources + "/{sourceId}/crawl", "recrawl", account.Debug, nil, "Visit the pages of a source anew"}, s.recrawl)
	register(s, route{post, sources + "/{sourceId}/remove", "removeSource", account.Debug, nil, "Remove a source with all its documents for ever: found no more at once, erased in the background"}, s.removeSource)
	register(s, route{post, sources + "/{sourceId}/documents/{documentId}/remove", "removeDocument", account.Debug, nil, "Remove a document for ever: found no more at once, erased in the background"}, s.removeDocument)
	register(s, route{get, "/api/knowledge/search", "searchKnowledge", account.Debug, nil, "Search what the tenant knows and what is public, and say why something is found"}, s.searchKnowledge)
}
