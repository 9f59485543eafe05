/**
 * Codes of errors that the API answers with. docs/api.md says what each means and what
 * to do; a test of the repository keeps this list and that table the same.
 */
export const codes = [
  "VALIDATION_ERROR",
  "INVALID_REQUEST",
  "INVALID_ACTION_FORMAT",
  "TOO_COMPLEX",
  "MAX_STEPS_EXCEEDED",
  "MAX_TOKENS_EXCEEDED",
  "MAX_RETRIES_EXCEEDED",
  "CONSECUTIVE_FAILURES_EXCEEDED",
  "UNAUTHORIZED",
  "INVALID_CREDENTIALS",
  "ACCOUNT_DISABLED",
  "FORBIDDEN",
  "NOT_FOUND",
  "TASK_NOT_FOUND",
  "SESSION_NOT_FOUND",
  "CALL_NOT_FOUND",
  "PROJECTION_NOT_FOUND",
  "RESOURCE_CONFLICT",
  "TASK_COMPLETED",
  "TASK_PAUSED",
  "TASK_STOPPED",
  "STATEMENT_NOT_DUE",
  "UNSETTLED",
  "RATE_LIMIT",
  "QUOTA_EXCEEDED",
  "TIMEOUT",
  "SERVER_BUSY",
  "DATABASE_ERROR",
  "EXTERNAL_SERVICE_ERROR",
  "NEWER_VERSION",
  "EXPORTS_BUSY",
  "USAGE_BUILDING",
  "LLM_ERROR",
  "INTERNAL_ERROR",
] as const

/** A code this version knows. */
export type KnownCode = (typeof codes)[number]

/** A code of an error. Newer servers may have others, so every switch needs a default. */
export type Code = KnownCode | (string & {})
