/**
 * What the content script does beside reading the page (page/index.ts): the actions. All
 * that goes in and out is JSON.
 */

import { perform, performed } from "./perform"

export const act = { perform, performed }
