import { fileURLToPath } from "node:url"

import { defineConfig } from "vitest/config"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: { "@stepledger/client": here("../clients/typescript/src/index.ts"), "openapi-fetch": here("node_modules/openapi-fetch") },
  },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 },
})
