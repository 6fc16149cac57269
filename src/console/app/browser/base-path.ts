/** Below which path of its host the service is reached, as its scripts are; '' = none. */
export const basePath: string = new URL(import.meta.url).pathname.replace(/(?:^|^(.*))\/console\/assets\/[^/]*$|^.*$/, '$1')

/** An address of this service as the browser has to ask for it; others stay as they are. */
export function withBase(address: string): string {
  return /^\/(?!\/)/.test(address) ? basePath + address : address
}

/** A path of the page as the console knows it. */
export function withoutBase(path: string): string {
  return basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`)) ? path.slice(basePath.length) || '/' : path
}

/** Where programs reach this service, unless its settings say otherwise. */
export function serviceAddress(): string {
  return location.origin + basePath
}
