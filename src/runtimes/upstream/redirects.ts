import type { IncomingMessage } from 'node:http'

/** Maximum redirects that one request follows. */
export const maxRedirects = 3
const longestAddress = 200

/** Target of a redirect; null if the answer is not a redirect, or its target is not a web address. */
export function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, requested: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return null
  const target = URL.parse(location, requested)
  return target !== null && /^https?:$/.test(target.protocol) ? target : null
}

/**
 * Whether a request can be sent to the target of a redirect as it is. The target must be on the same server, so that the key reaches no other server, and
 * never leaves TLS. 301 and 302 must lead to the same call, because they may also lead to a page, such as a sign-in page.
 *
 * @param path The requested path below the base address.
 */
export function mayFollow(status: number, target: URL, { requested, path }: { readonly requested: URL; readonly path: string }): boolean {
  if (target.origin !== requested.origin) return false
  return status === 307 || status === 308 || (status !== 303 && baseOf(target, path) !== null)
}

/** Advice for the operator: the address to write into `model.json`, if the target is the same call. */
export function adviseOnRedirect(target: URL | null, path: string): string {
  if (target === null) return ': it redirects, but not to an address; correct `url` in its model.json'
  const base = baseOf(target, path)
  const address = `${target.origin}${base ?? target.pathname}`.slice(0, longestAddress)
  return base === null
    ? `: it redirects to ${address}; correct \`url\` in its model.json`
    : `: it redirects; write ${address} into \`url\` of its model.json if that is the right server`
}

/** The path of a target without that of the call, ignoring slashes at the end; null if it is another call. */
function baseOf({ pathname }: URL, path: string): string | null {
  const [found, wanted] = [pathname, path.replace(/\?.*/, '')].map((each) => each.replace(/\/+$/, ''))
  return wanted !== undefined && found?.endsWith(wanted) ? found.slice(0, found.length - wanted.length) : null
}
