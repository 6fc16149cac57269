import { makeId } from './make-id.ts'

/** Uses the browser's storage. The browser may forbid it, or have no space left; the page then works but forgets. */
function attempt<Value>(use: () => Value, otherwise: Value): Value {
  try {
    return use()
  } catch {
    return otherwise
  }
}

/** A stored text; null when there is none or the browser forbids storage. */
export function readKept(key: string): string | null {
  return attempt(() => localStorage.getItem(key), null)
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
  if (keeps) attempt(() => localStorage.setItem(key, text), undefined)
}

/** Deletes all entries whose names begin with this prefix. */
export function forget(prefix: string): void {
  attempt(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  }, undefined)
}

const leftKey = 'sepia.left'
const tabKey = 'sepia.tab'
const unkeptTab = makeId()

/** An id of this tab. It survives a reload if the browser allows it. */
export function tabId(): string {
  return attempt(() => {
    const known = sessionStorage.getItem(tabKey)
    if (known === null) sessionStorage.setItem(tabKey, unkeptTab)
    return known ?? unkeptTab
  }, unkeptTab)
}

/** How the user left the previous page: signed out, or with the account deleted. */
export type Leaving = 'left' | 'deleted'

/** Notes for the next page how the user left. */
export function rememberLeaving(how: Leaving): void {
  attempt(() => sessionStorage.setItem(leftKey, how), undefined)
}

/** How the user left the previous page; null = not at all. Known once. */
export function takeLeaving(): Leaving | null {
  return attempt(() => {
    const how = sessionStorage.getItem(leftKey)
    sessionStorage.removeItem(leftKey)
    return how === null ? null : how === 'deleted' ? how : 'left'
  }, null)
}
