// Put before the worker's own script by the test that ends the worker: each message to
// a page, each entry of the storage and each request asks first, and says afterwards
// that it is done. Where the worker is to end, it gets no answer.
const fetchIt = globalThis.fetch
const at = async (point) => { await (await fetchIt("{{points}}/" + point)).text() }

const watch = (owner, name, about) => {
  const real = owner[name].bind(owner)
  owner[name] = async (...args) => {
    const point = name + "/" + about(...args)
    await at("before/" + point)
    try {
      return await real(...args)
    } finally {
      await at("after/" + point)
    }
  }
}

watch(chrome.tabs, "sendMessage", (_tab, message) => message?.call)
watch(chrome.storage.local, "set", (entries) => Object.keys(entries).map((key) => key.split("_")[0]).join("+"))
watch(globalThis, "fetch", (request) => new URL(request.url ?? request).pathname.split("/").pop())
