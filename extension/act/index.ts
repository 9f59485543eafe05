/**
 * What the content script does beside reading the page (page/index.ts): the actions, and
 * what the page's own world knows. All that goes in and out is JSON.
 */

import { aimAt, began, ended, perform, performed } from "./perform"
import { isSpread } from "./text"
import { answerDialog, arm, capture, leaveDialogs, network, openDialog, staysOnLeave } from "./world"

export const act = { perform, performed, aimAt, began, ended, isSpread, arm, capture, network, openDialog, answerDialog, leaveDialogs, staysOnLeave }
