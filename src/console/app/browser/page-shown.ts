let shown: Promise<unknown> = Promise.resolve()

window.addEventListener('pagehide', () => {
  shown = new Promise((resolve) => window.addEventListener('pageshow', resolve, { once: true }))
})

/** Resolves at once, but while the page is being left only if it is shown again: browsers break off what it still waits for. */
export async function pageShown(): Promise<void> {
  await shown
}
