/** A text that this browser keeps, or null; a browser that forbids keeping has none. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps a text for later visits, where the browser lets it. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // Without storage, or with none left, the page works on; it only forgets.
  }
}

/** Forgets what is kept under names that begin so. */
export function forget(prefix: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  } catch {
    // Nothing is kept there.
  }
}
