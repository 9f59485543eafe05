// The part of chrome.* that the panel and the options use, with the contents a test has
// prepared (contents.js). What is asked of it is noted in calls; put() changes storage as
// the worker would.

{
  const { storage, activeTab, manifest, origins = [], grants = true, refuses = null } = globalThis.contents
  const calls = []
  const event = () => {
    const listeners = new Set()
    return { addListener: (f) => listeners.add(f), removeListener: (f) => listeners.delete(f), tell: (...args) => listeners.forEach((f) => f(...args)) }
  }
  const changed = event()
  const activated = event()
  const [added, removed] = [event(), event()]
  const allowed = new Set(origins)
  const copy = (value) => JSON.parse(JSON.stringify(value))

  const put = (items) => {
    const changes = {}
    for (const [key, value] of Object.entries(items)) {
      changes[key] = { oldValue: storage[key], ...(value === null ? {} : { newValue: copy(value) }) }
      if (value === null) delete storage[key]
      else storage[key] = copy(value)
    }
    changed.tell(changes, "local")
  }
  const noted = (name, answer) => async (...args) => {
    calls.push({ name, args: copy(args) })
    return answer?.(...args)
  }

  const fake = {
    runtime: {
      sendMessage: noted("sendMessage", () => (refuses ? { error: refuses } : { ok: true })),
      openOptionsPage: noted("openOptionsPage"),
      getManifest: () => manifest,
      getURL: (path) => path,
    },
    storage: {
      local: {
        get: async (key) => copy(key === null ? storage : key in storage ? { [key]: storage[key] } : {}),
        set: async (items) => put(items),
        remove: async (keys) => put(Object.fromEntries([keys].flat().map((key) => [key, null]))),
        clear: async () => put(Object.fromEntries(Object.keys(storage).map((key) => [key, null]))),
      },
      onChanged: changed,
    },
    tabs: {
      getCurrent: async () => undefined,
      query: async () => (activeTab ? [{ id: activeTab, windowId: 1 }] : []),
      update: noted("tabs.update", (id) => ({ id, windowId: 1 })),
      sendMessage: noted("tabs.sendMessage", () => ({ ok: true })),
      onActivated: activated,
    },
    windows: { getCurrent: async () => ({ id: 1 }), update: noted("windows.update") },
    permissions: {
      request: noted("permissions.request", (what) => {
        if (grants) what.origins?.forEach((origin) => allowed.add(origin))
        return grants
      }),
      getAll: async () => ({ origins: [...allowed] }),
      remove: noted("permissions.remove", ({ origins: list }) => {
        list.forEach((origin) => allowed.delete(origin))
        removed.tell()
        return true
      }),
      onAdded: added, onRemoved: removed,
    },
  }
  Object.defineProperty(globalThis, "chrome", { value: fake })

  const problems = []
  addEventListener("securitypolicyviolation", (e) => problems.push(`${e.violatedDirective}: ${e.blockedURI}`))
  addEventListener("error", (e) => problems.push(e.message))
  addEventListener("unhandledrejection", (e) => problems.push(String(e.reason)))

  Object.assign(globalThis, { calls, problems, put, stored: storage, activate: (tabId) => activated.tell({ tabId, windowId: 1 }) })
}
