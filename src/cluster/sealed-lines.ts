import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { readPortable, writePortable } from '../core/portable-value.ts'

/** Longest line between nodes: a body of 32 MB in base64 and what a large picture takes. */
export const maxLineBytes = 256 * 1024 * 1024

/** One direction of a lease. Each line carries a seal that only the two nodes can make, and that fits at its place alone. */
export class SealedLines {
  readonly #key: KeyObject
  readonly #direction: string
  #count = 0

  /** @param direction What tells the two directions of one lease apart. */
  constructor(key: KeyObject, direction: 'asker' | 'lender') {
    this.#key = key
    this.#direction = direction
  }

  /** The next line, with its end. */
  write(value: unknown): string {
    return this.seal(writePortable(value))
  }

  /** The next line, of a value that is written already. */
  seal({ json, parts }: ReturnType<typeof writePortable>): string {
    const content = `${parts.length === 0 ? '-' : Buffer.concat(parts).toString('base64')} ${json}`
    return `${this.#seal(content)} ${content}\n`
  }

  /** @throws {Error} when the line is not the one that the other node wrote next. */
  read(line: string): unknown {
    const space = line.indexOf(' ')
    const content = line.slice(space + 1)
    if (!isEqual(line.slice(0, Math.max(0, space)), this.#seal(content))) throw new Error('a line of another node has a wrong seal')
    const end = content.indexOf(' ')
    const bytes = content.slice(0, end)
    return readPortable(content.slice(end + 1), bytes === '-' ? new Uint8Array() : Buffer.from(bytes, 'base64'))
  }

  #seal(content: string): string {
    return seal(this.#key, `${this.#direction} ${this.#count++}`, content)
  }
}

/** Proof that whoever wrote `parts` in this order has the key. */
export function seal(key: KeyObject, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part)
  return hmac.digest('base64url')
}

/** Compares seals in a time that tells nothing. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The key of one lease; an object, since Node prepares other keys for every seal, which takes eight times as long. */
export function leaseKey(secret: KeyObject, askerNonce: string, lenderNonce: string): KeyObject {
  return createSecretKey(seal(secret, 'lease', askerNonce, lenderNonce), 'base64url')
}

/** The key of what comes along with a question, when nobody has answered yet: a question is heard once, so that this is, too. */
export function aheadKey(secret: KeyObject, to: string, askerNonce: string): KeyObject {
  return createSecretKey(seal(secret, 'ahead', to, askerNonce), 'base64url')
}

/** 144 random bits that nobody used before. */
export function makeNonce(): string {
  return randomBytes(18).toString('base64url')
}

/**
 * The lines of a stream, without their ends.
 *
 * @throws {Error} when one is longer than `most()` bytes, or the stream breaks off within one.
 */
export async function* splitLines(stream: AsyncIterable<Buffer>, most: () => number): AsyncGenerator<string, void, undefined> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, end))
      yield Buffer.concat(pieces).toString('utf8')
      pieces = []
      bytes = 0
      from = end + 1
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > most()) throw new Error('a line of another node is too long')
  }
  if (pieces.length > 0) throw new Error('another node broke off within a line')
}
