/** Where the examples run, and as whom: environment variables say it. */
import assert from "node:assert/strict"

import { createStepledger, inMemory, type Result, type Stepledger } from "../src/index.js"

function required(name: string): string {
  const value = process.env[name]
  assert(value, `${name} is not set`)
  return value
}

export const baseUrl = required("STEPLEDGER_URL")
export const email = required("STEPLEDGER_EMAIL")
export const password = required("STEPLEDGER_PASSWORD")
/** A user of a tenant with few requests a minute. */
export const limitedEmail = required("STEPLEDGER_LIMITED_EMAIL")

/** A page with a login form, as an extension would capture it. */
export const page = `<html><body><h1>Sign in</h1><form>
<label for="1">Email</label><input id="1" type="email" name="email">
<label for="2">Password</label><input id="2" type="password" name="password">
<button id="3" type="submit">Sign in</button></form></body></html>`

export const url = "https://shop.example.com/login"
export const query = "Sign in as ann@example.com with the password 'blue-heron'"

const tokens = inMemory()

/** A client that is logged in: once for all, since logins are limited too. */
export async function loggedIn(): Promise<Stepledger> {
  const client = createStepledger({ baseUrl, tokens })
  if (!(await tokens.get())) got(await client.login(email, password))
  return client
}

/** The data of a call that has to succeed. */
export function got<T>(result: Result<T>): T {
  assert(result.ok, result.ok ? "" : JSON.stringify(result.error))
  return result.data
}

/** An answer's body as an untyped client reads it. */
export interface Envelope {
  success: boolean
  code?: string
  message?: string
  details?: { field?: string; reason?: string }
  retryAfter?: number
  data?: any
}
