/** One server-sent event with nothing but data. */
export function encodeEventData(value: unknown): string {
  return `data: ${encodeAsciiJson(value)}\n\n`
}

/** One server-sent event with a name, for streams whose readers expect names. */
export function encodeNamedEvent(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${encodeAsciiJson(value)}\n\n`
}

/** One line of a stream in which each line is JSON. */
export function encodeLine(value: object): string {
  return `${encodeAsciiJson(value)}\n`
}

/**
 * JSON in plain ASCII. Everything else is escaped because published clients decode each network chunk by itself, which
 * breaks characters of several bytes, split lines at U+0085, U+2028 and U+2029, or end the stream at any `[DONE]` inside
 * a text.
 */
export function encodeAsciiJson(value: unknown): string {
  const json = JSON.stringify(value).replaceAll('[DONE]', '\\u005bDONE]')
  return /[^ -~]/.test(json) ? json.replace(/[^ -~]/g, escapeUnit) : json
}

/** The plain text that ends a stream. */
export const doneEvent = 'data: [DONE]\n\n'

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A line that readers of server-sent events pass over. */
export const pingComment = ': ping\n\n'
