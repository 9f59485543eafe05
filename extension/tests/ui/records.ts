// Records as the worker writes them.

import type { TaskRecord } from "../../protocol"

export function taskRecord(parts: Partial<TaskRecord> = {}): TaskRecord {
  return {
    taskId: "task", sessionId: "session", url: "https://clinic.example/patients", timestamp: 1, tabId: 1, runId: "run",
    query: "Add a patient", phase: "look", message: "", turns: 2, loop: null, ...parts,
  }
}
