import { effect, signal } from '@preact/signals'
import { withBase, withoutBase } from '../browser/base-path.ts'

/** The path of the shown page, without a trailing slash. */
export const path = signal(currentPath())

/** Goes to a page of the console. */
export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', withBase(to))
  else history.pushState(null, '', withBase(to))
  path.value = currentPath()
  window.scrollTo(0, 0)
}

/** The part of the path after a page's own, or null: `/console/requests/7` below `/console/requests` is `7`. */
export function pathBehind(base: string): string | null {
  return path.value.startsWith(`${base}/`) ? decoded(path.value.slice(base.length + 1)) : null
}

/** Decodes a part of the path. An address typed by hand may contain an invalid percent sign. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function currentPath(): string {
  return withoutBase(location.pathname).replace(/\/+$/, '') || '/'
}

window.addEventListener('popstate', () => {
  path.value = currentPath()
})

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return
  const to = withoutBase(link.pathname)
  if (!to.startsWith('/console/') || to.startsWith('/console/api/')) return
  // The browser itself handles a link to a place in the page, including the focus.
  if (link.hash !== '' && link.pathname === location.pathname) return
  event.preventDefault()
  navigate(to)
})

effect(() => {
  if (path.value === '/' || path.value === '/console') navigate('/console/chat', { replace: true })
})
