/**
 * The value of one preference of a Prefer header; "" when it has no value.
 *
 * @see RFC 7240, section 2
 */
export function prefers(header: string | readonly string[] | undefined, name: string): string | undefined {
  const preferences = [header ?? []].flat().join(',').split(',')
  for (const preference of preferences) {
    const [key = '', value = ''] = (preference.split(';')[0] ?? '').split('=')
    if (key.trim().toLowerCase() === name) return value.trim().replace(/^"(.*)"$/, '$1')
  }
  return undefined
}
