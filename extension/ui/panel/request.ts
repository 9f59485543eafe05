/**
 * Requests of the panel, with the failure told to whoever shows it. A failure is said in
 * words of ours where there are some.
 */

import type { Failure, PanelRequest } from "../../protocol"
import { t, textOf } from "../texts"
import { ask, SILENT } from "../worker"

/** Sends a request and tells its failure, or null where there is none; gives whether it was taken. */
export async function request(what: PanelRequest, tell: (failed: Failure | null) => void): Promise<boolean> {
  const failed = await ask(what)
  tell(failed)
  return failed === null
}

export function failureText(failed: Failure): string {
  if (failed.code === SILENT) return t("app.silent")
  return textOf(`failure.${failed.code}`) ?? failed.message
}
