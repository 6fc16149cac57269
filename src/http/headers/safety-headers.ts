/** A year, as browsers ask of sites that mean it. */
const secureForSeconds = 365 * 24 * 60 * 60

/** What every answer carries: no browser guesses what it is, and none comes back without HTTPS where the service is reached by it. */
export function safetyHeadersOf(): (publicUrl: string) => Readonly<Record<string, string>> {
  // Every answer asks, and the address hardly ever changes.
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
