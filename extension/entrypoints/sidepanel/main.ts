import "../../ui/style.css"

import { h, render } from "preact"

import { Panel } from "../../ui/panel/panel"
import { t } from "../../ui/texts"

document.title = t("app.name")
render(h(Panel, {}), document.getElementById("app")!)
