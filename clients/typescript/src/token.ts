/** The token of a login, and until when it holds (ISO 8601). */
export interface Token {
  accessToken: string
  expiresAt: string
}

/** Where a token is kept between calls; of an extension for example chrome.storage. */
export interface TokenStore {
  get(): Promise<Token | undefined>
  set(token: Token): Promise<void>
  remove(): Promise<void>
}

/** A store that forgets with the program. */
export function inMemory(token?: Token): TokenStore {
  return {
    get: async () => token,
    set: async (t) => { token = t },
    remove: async () => { token = undefined },
  }
}
