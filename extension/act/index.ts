/**
 * What the content script does beside reading the page (page/index.ts): the actions, and
 * what the page's own world knows. All that goes in and out is JSON.
 */

import { perform, performed } from "./perform"
import { answerDialog, arm, leaveDialogs, network, openDialog } from "./world"

export const act = { perform, performed, arm, network, openDialog, answerDialog, leaveDialogs }
