// What really happened on a page: each handler of it says so. The list outlives
// documents of the tab; frames tell the page they are in.
{
  const kept = "happened"
  const list = () => JSON.parse(sessionStorage.getItem(kept) ?? "[]")
  window.outcome = list
  window.happened = (what) => {
    if (window.parent !== window) window.parent.postMessage({ happened: what }, "*")
    else sessionStorage.setItem(kept, JSON.stringify([...list(), what]))
  }
  addEventListener("message", (e) => { if (e.data?.happened) window.happened(e.data.happened) })
  // What has the attribute data-tells says that it was clicked.
  addEventListener("click", (e) => {
    const clicked = e.composedPath().find((el) => el.dataset?.tells)
    if (clicked) window.happened(clicked.dataset.tells)
  })
}
