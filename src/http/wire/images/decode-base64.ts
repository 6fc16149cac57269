import { setImmediate } from 'node:timers/promises'

/** Characters decoded in one turn of the event loop: about a millisecond. */
const perTurn = 1024 * 1024

/**
 * The bytes of a base64 text, in the usual letters or those of addresses, padded or not, line breaks in it left out, as the usual command-line tools
 * write them; null when it is empty or anything else. Long texts are read over several turns of the event loop.
 */
export async function decodeBase64(text: string): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * 3) / 4))
  let length = 0
  let rest = ''
  for (let at = 0; at < text.length; at += perTurn) {
    if (at > 0) await setImmediate()
    const piece = rest + text.slice(at, at + perTurn).replace(/[\r\n]+/g, '')
    const isLast = at + perTurn >= text.length
    // Four characters are three bytes; padding stands only at the end.
    const whole = isLast ? piece : piece.slice(0, piece.length - (piece.length % 4 || 4))
    if (!isBase64(whole, isLast)) return null
    length += bytes.write(whole, length, 'base64')
    rest = piece.slice(whole.length)
  }
  return length === 0 ? null : bytes.subarray(0, length)
}

function isBase64(text: string, isLast: boolean): boolean {
  if (!isLast) return text.length % 4 === 0 && /^[A-Za-z0-9+/_-]*$/.test(text)
  const [, padding] = /^[A-Za-z0-9+/_-]*(={0,2})$/.exec(text) ?? []
  // Padding may be left out, but what there is of it must be right; one letter alone is no byte.
  return padding !== undefined && (padding === '' ? text.length % 4 !== 1 : text.length % 4 === 0)
}
