const followed = ['http:', 'https:', 'mailto:']

/** The full address of a link in an answer, if it may be followed; otherwise null. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && followed.includes(url.protocol) ? url.href : null
}
