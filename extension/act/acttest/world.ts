/** What the tests put into a page's own world, before its scripts. */

import { installWorld } from "../../page/world/install"

installWorld()
