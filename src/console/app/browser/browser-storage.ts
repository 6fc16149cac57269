import { makeId } from './make-id.ts'

/** A stored text; null when there is none or the browser forbids storage. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

let keeps = true

/** After sign-out, the page stores nothing more until it is reloaded. */
export function stopStoring(): void {
  keeps = false
}

/** Whether the page may store anything. */
export function mayStore(): boolean {
  return keeps
}

/** Stores a text for later visits, if the browser allows it. */
export function keep(key: string, text: string): void {
  if (!keeps) return
  try {
    localStorage.setItem(key, text)
  } catch {
    // Without storage, or when it is full, the page works but forgets.
  }
}

/** Deletes all entries whose names begin with this prefix. */
export function forget(prefix: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  } catch {
    // Storage is forbidden, so there is nothing to delete.
  }
}

const leftKey = 'sepia.left'
const tabKey = 'sepia.tab'
const unkeptTab = makeId()

/** An id of this tab. It survives a reload if the browser allows it. */
export function tabId(): string {
  try {
    const known = sessionStorage.getItem(tabKey)
    if (known === null) sessionStorage.setItem(tabKey, unkeptTab)
    return known ?? unkeptTab
  } catch {
    return unkeptTab
  }
}

/** Notes for the next page that the user signed out. */
export function rememberSignOut(): void {
  try {
    sessionStorage.setItem(leftKey, 'yes')
  } catch {
    // The next page then shows its usual greeting.
  }
}

/** Whether the user signed out on the previous page. Returns true once. */
export function takeSignOut(): boolean {
  try {
    const left = sessionStorage.getItem(leftKey) !== null
    sessionStorage.removeItem(leftKey)
    return left
  } catch {
    return false
  }
}
