let shown: Promise<unknown> = Promise.resolve()

window.addEventListener('pagehide', () => {
  shown = new Promise((resolve) => window.addEventListener('pageshow', resolve, { once: true }))
})

/**
 * Resolves at once. While the page is being left, it resolves only if the page is shown again, because browsers abort its pending requests.
 */
export async function pageShown(): Promise<void> {
  await shown
}
