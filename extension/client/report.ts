/**
 * What is told of the actions done last: how each went and what was observed from its
 * start until the page was stable, joined over a chain, as fields of the next request.
 * Success means that it was done, not that it had the intended effect; that is for the
 * server to judge. Pending is an action of which nobody knows any more whether it was
 * done.
 */

import type { Failure, Schemas } from "../protocol"

/** A request of the page that failed; status 0 had no answer. */
export type FailedRequest = { method: string, path: string, status: number }

/** How one action went, or several joined. */
export interface Report {
  status: "success" | "failure" | "pending"
  error?: { code: Failure["code"], message: string, action: string, elementId?: string }
  /** Nobody watched: that nothing was seen says nothing. */
  unseen?: boolean
  previousUrl: string
  url: string
  network: boolean
  mutated: boolean
  urlChanged: boolean
  added: number
  removed: number
  dropdown: string[]
  /** Milliseconds until the page was stable. */
  stabilization: number
  failed: FailedRequest[]
  /** Unknown where the page's own world could not be watched. */
  pending?: number
  scriptErrors?: number
  /** Whether the element's markup changed; absent where it is gone. */
  targetChanged?: boolean
  /** Changes that the action's own events made at once; absent in another document. */
  direct?: number
  recovered?: string
  actualState?: string
}

/** The fields of the next request. */
export type LastAction = Pick<Schemas["InteractBody"],
  | "previousUrl" | "lastActionStatus" | "lastActionError" | "lastActionResult" | "clientObservations" | "domChanges"
  | "recoveredElement" | "lastExecutedActionIndex" | "chainPartialState">

/** How far a chain came. */
export interface Progress { total: number, lastIndex: number, executed: string[] }

/** A report on an action of which nothing was observed. */
export function bareReport(status: Report["status"], url: string, error?: Report["error"]): Report {
  const report: Report = {
    status, unseen: true, previousUrl: url, url, network: false, mutated: false, urlChanged: false, added: 0, removed: 0, dropdown: [], stabilization: 0, failed: [],
  }
  return error ? { ...report, error } : report
}

/** Joins the reports of two consecutive actions. */
export function joinReports(a: Report | undefined, b: Report): Report {
  if (!a) return b
  return {
    ...b,
    ...((a.unseen || b.unseen) && { unseen: true }),
    previousUrl: a.previousUrl,
    network: a.network || b.network,
    mutated: a.mutated || b.mutated,
    urlChanged: a.urlChanged || (b.url !== "" && a.previousUrl !== b.url),
    failed: [...a.failed, ...b.failed],
    added: a.added + b.added,
    removed: a.removed + b.removed,
    dropdown: [...a.dropdown, ...b.dropdown],
    stabilization: a.stabilization + b.stabilization,
    ...sum("scriptErrors", a, b),
    ...(b.recovered ?? a.recovered ? { recovered: b.recovered ?? a.recovered } : {}),
  }
}

function sum(field: "scriptErrors", a: Report, b: Report): Partial<Report> {
  const known = [a[field], b[field]].filter((n) => n !== undefined)
  return known.length > 0 ? { [field]: known.reduce((x, y) => x + y, 0) } : {}
}

/** A report as fields of the next request; progress says how far a chain came. */
export function forRequest(r: Report, progress: Progress): LastAction {
  const out: LastAction = {
    lastActionStatus: r.status,
    lastActionResult: { success: r.status === "success", ...(r.actualState !== undefined && { actualState: r.actualState }) },
    clientObservations: observations(r),
  }
  if (!r.unseen) {
    out.domChanges = {
      addedCount: r.added, removedCount: r.removed, dropdownDetected: r.dropdown.length > 0,
      ...(r.dropdown.length > 0 && { dropdownOptions: r.dropdown }), stabilizationTime: r.stabilization,
      ...(r.previousUrl && { previousUrl: r.previousUrl }), urlChanged: r.urlChanged, didNetworkOccur: r.network,
    }
  }
  if (r.previousUrl) out.previousUrl = r.previousUrl
  if (r.error) out.lastActionError = r.error
  if (r.recovered) out.recoveredElement = r.recovered
  if (progress.total > 1) {
    out.lastExecutedActionIndex = progress.lastIndex
    if (progress.executed.length < progress.total) {
      out.chainPartialState = { executedActions: progress.executed, totalActionsInChain: progress.total }
    }
  }
  return out
}

function observations(r: Report): NonNullable<LastAction["clientObservations"]> {
  const seen = (field: string, is: boolean) => (is || !r.unseen ? { [field]: is } : {})
  return {
    ...seen("didNetworkOccur", r.network), ...seen("didDomMutate", r.mutated), ...seen("didUrlChange", r.urlChanged),
    ...(r.failed.length > 0 && { failedRequests: r.failed }),
    ...(r.pending !== undefined && { pendingRequests: r.pending }),
    ...(r.scriptErrors !== undefined && { scriptErrors: r.scriptErrors }),
    ...(r.targetChanged !== undefined && { targetChanged: r.targetChanged }),
    ...(r.direct !== undefined && { directMutations: r.direct }),
  }
}
