import "../../ui/style.css"

import { h, render } from "preact"

import { Options } from "../../ui/options/options"
import { t } from "../../ui/texts"

document.title = t("options.title")
document.documentElement.classList.add("wide")
render(h(Options, {}), document.getElementById("app")!)
