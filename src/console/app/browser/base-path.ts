/** The path below which the service is reached, taken from the script's own address; '' = none. */
export const basePath: string = new URL(import.meta.url).pathname.replace(/(?:^|^(.*))\/console\/assets\/[^/]*$|^.*$/, '$1')

/** Adds the base path to an address of this service; others are returned unchanged. */
export function withBase(address: string): string {
  return /^\/(?!\/)/.test(address) ? basePath + address : address
}

/** Removes the base path from a path of the page. */
export function withoutBase(path: string): string {
  return basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`)) ? path.slice(basePath.length) || '/' : path
}

/** The service's address for programs, unless its settings name another. */
export function serviceAddress(): string {
  return location.origin + basePath
}

/** Whether links to a host, as the browser's address names it, lead back to the reader's own machine wherever they are opened. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
