/** A server-sent event that has only data. */
export function encodeEventData(value: unknown): string {
  return `data: ${encodeAsciiJson(value)}\n\n`
}

/** A named server-sent event. */
export function encodeNamedEvent(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${encodeAsciiJson(value)}\n\n`
}

/** One line of a stream of JSON lines. */
export function encodeLine(value: object): string {
  return `${encodeAsciiJson(value)}\n`
}

/**
 * JSON in ASCII. All other characters are escaped, because published clients decode each network chunk separately, which breaks multi-byte
 * characters, split lines at U+0085, U+2028 and U+2029, or end the stream at a `[DONE]` inside a text.
 */
export function encodeAsciiJson(value: unknown): string {
  const json = JSON.stringify(value).replaceAll('[DONE]', '\\u005bDONE]')
  return /[^ -~]/.test(json) ? json.replace(/[^ -~]/g, escapeUnit) : json
}

/** The text that ends a stream. */
export const doneEvent = 'data: [DONE]\n\n'

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A comment, which readers of server-sent events ignore. */
export const pingComment = ': ping\n\n'
