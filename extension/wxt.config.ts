import { defineConfig } from "wxt"

import texts from "./ui/texts/en.json"

const here = (path: string) => decodeURIComponent(new URL(path, import.meta.url).pathname)
