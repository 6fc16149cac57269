const followed = ['http:', 'https:', 'mailto:']

/** An address that a link in an answer may lead to, written out in full; null for every other. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && followed.includes(url.protocol) ? url.href : null
}
