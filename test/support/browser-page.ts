/** Controls of the page that {@link openBrowserPage} set up. */
export interface BrowserPage {
  /** The storage of the browser between visits. */
  readonly kept: Map<string, string>
  /** Every address that the page asked for, with its method: `POST /console/api/session`. */
  readonly requested: string[]
  /** Addresses gone to, newest last. */
  readonly visited: string[]
  /** How often the page reloaded. */
  readonly reloads: () => number
  /** Answers the page's requests from now on. */
  answerWith(answer: (path: string, init: RequestInit) => Promise<Response>): void
  /** Takes away what the browser keeps things in, as a browser does that forbids it. */
  forbidStorage(): void
}

/**
 * Stands in for the browser around the console's modules: address, history, storage and network. Call it before they are imported,
 * because some of them look at the page at once.
 */
export function openBrowserPage(path = '/console/chat'): BrowserPage {
  const kept = new Map<string, string>()
  const requested: string[] = []
  const visited: string[] = []
  let reloads = 0
  let forbidden = false
  let answer: (path: string, init: RequestInit) => Promise<Response> = async () => Promise.reject(new TypeError('fetch failed'))
  const check = (): void => {
    if (forbidden) throw new DOMException('Storage is not allowed here.', 'SecurityError')
  }
  const methods = {
    getItem: (key: string) => {
      check()
      return kept.get(key) ?? null
    },
    setItem: (key: string, text: string) => {
      check()
      kept.set(key, text)
    },
    removeItem: (key: string) => {
      check()
      kept.delete(key)
    },
  }
  const localStorage = new Proxy(methods, {
    ownKeys: () => {
      check()
      return [...kept.keys()]
    },
    getOwnPropertyDescriptor: (target, key) =>
      kept.has(String(key)) ? { configurable: true, enumerable: true } : Reflect.getOwnPropertyDescriptor(target, key),
  })
  const location = { pathname: path, origin: 'http://sepia.test', reload: () => void reloads++ }
  const go = (_state: unknown, _title: string, to: string): void => {
    visited.push(to)
    location.pathname = to
  }
  const page = {
    location,
    localStorage,
    requestAnimationFrame: (draw: () => void) => setImmediate(draw),
    cancelAnimationFrame: clearImmediate,
    history: { pushState: go, replaceState: go },
    document: Object.assign(new EventTarget(), { documentElement: { dataset: {} }, visibilityState: 'visible' }),
    window: Object.assign(new EventTarget(), { scrollTo() {} }),
    Element: class {},
    navigator: { languages: ['en'] },
    fetch: (address: string, init: RequestInit = {}) => {
      requested.push(`${init.method ?? 'GET'} ${address}`)
      init.signal?.throwIfAborted()
      return answer(address, init)
    },
  }
  for (const [name, value] of Object.entries(page)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  return {
    kept,
    requested,
    visited,
    reloads: () => reloads,
    answerWith: (next) => {
      answer = next
    },
    forbidStorage: () => {
      forbidden = true
    },
  }
}
