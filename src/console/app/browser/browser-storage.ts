import { makeId } from './make-id.ts'

/** A text that this browser keeps, or null; a browser that forbids keeping has none. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

let keeps = true

/** Until it is reloaded, this page stores nothing in the browser: its person has signed out. */
export function stopKeeping(): void {
  keeps = false
}

/** Whether this page may keep anything. */
export function mayKeep(): boolean {
  return keeps
}

/** Keeps a text for later visits, where the browser lets it. */
export function keep(key: string, text: string): void {
  if (!keeps) return
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

const leftKey = 'sepia.left'
const tabKey = 'sepia.tab'
const unkeptTab = makeId()

/** What tells this tab from others; it stays when the page is loaded again, where the browser lets it. */
export function tabId(): string {
  try {
    const known = sessionStorage.getItem(tabKey)
    if (known === null) sessionStorage.setItem(tabKey, unkeptTab)
    return known ?? unkeptTab
  } catch {
    return unkeptTab
  }
}

/** Lets the page that is loaded next know that somebody signed out in this one. */
export function noteLeft(): void {
  try {
    sessionStorage.setItem(leftKey, 'yes')
  } catch {
    // It then greets as any other.
  }
}

/** Whether somebody signed out in the page before this one; asked once. */
export function takeLeft(): boolean {
  try {
    const left = sessionStorage.getItem(leftKey) !== null
    sessionStorage.removeItem(leftKey)
    return left
  } catch {
    return false
  }
}
