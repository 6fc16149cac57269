/** One year, the usual value of Strict-Transport-Security. */
const secureForSeconds = 365 * 24 * 60 * 60

/** The security headers of every answer: no content sniffing, and HTTPS only when the public address uses it. */
export function safetyHeadersOf(): (publicUrl: string) => Readonly<Record<string, string>> {
  // Called for every answer, and the address hardly ever changes.
  let known = { publicUrl: '', headers: headersAt('') }
  return (publicUrl) => {
    if (known.publicUrl !== publicUrl) known = { publicUrl, headers: headersAt(publicUrl) }
    return known.headers
  }
}

function headersAt(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${secureForSeconds}` }),
  }
}
