package api

// repeats says of every POST what repeating it does, for the description: a client that
// lost the answer has to know.
var repeats = map[string]string{
	"interact":          "harmless with an Idempotency-Key or requestId, and answered with the stored answer; without, an equal body is the same request only while its turn is at work",
	"login":             "harmless: each makes a login of its own, which ends by itself",
	"logout":            "harmless; the second is answered with 401, since the token is revoked",
	"acceptInvite":      "harmless, and answered with 404: the invitation was used; log in instead",
	"changePassword":    "answered with 401: the old password and the old token hold no more; log in with the new password",
	"revokeLogin":       "harmless: a login that has ended is not found",
	"revokeOtherLogins": "harmless, and changes nothing",
	"requestErasure":    "harmless: it is the same erasure",
	"savePreferences":   "harmless: the same preferences are stored again",
	"setDomains":        "harmless, and changes nothing",
	"setRole":           "harmless, and changes nothing",
	"disableUser":       "harmless, and changes nothing",
	"enableUser":        "harmless, and changes nothing",
	"revokeUser":        "harmless: it also ends logins made since",
	"invite":            "harmless: it closes the open invitation of the address and makes another, whose token is the one that holds",
	"revokeInvite":      "harmless, and changes nothing",
	"stopTask":          "harmless, and changes nothing",
	"cancelTask":        "harmless, and changes nothing",
	"resumeOwnTask":     "harmless, and changes nothing",
	"archiveSession":    "harmless, and changes nothing",
	"issueStatement":    "harmless: a statement is issued once, and the repeat gets the same",
	"taskFork":          "harmless, but makes another experiment",
	"pauseTask":         "harmless, and changes nothing",
	"resumeTask":        "harmless, and changes nothing",
	"retryParked":       "harmless: what was applied is not applied again",
}
