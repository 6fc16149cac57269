import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { readPortable, writePortable } from '../core/portable-value.ts'
import type { Clock } from '../core/ports/clock.ts'
import { questionWindowMs } from './lease-wire.ts'

/** Maximum line length between nodes: a body of 32 MB in base64 plus a large picture. */
export const maxLineBytes = 256 * 1024 * 1024

/** One direction of a lease. Each line carries a MAC that only the two nodes can compute and that is valid only at its position. */
export class SealedLines {
  readonly #key: KeyObject
  readonly #direction: string
  #count = 0

  /** @param direction Distinguishes the two directions of a lease. */
  constructor(key: KeyObject, direction: 'asker' | 'lender') {
    this.#key = key
    this.#direction = direction
  }

  /** Seals the next line, including its line end. */
  write(value: unknown): string {
    return this.seal(writePortable(value))
  }

  /** Seals the next line for an already serialized value. */
  seal({ json, parts }: ReturnType<typeof writePortable>): string {
    const content = `${parts.length === 0 ? '-' : Buffer.concat(parts).toString('base64')} ${json}`
    return `${this.#seal(content)} ${content}\n`
  }

  /** @throws {Error} if the line is not the one the other node sent next. */
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

/** MAC of `parts` in this order. */
export function seal(key: KeyObject, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part)
  return hmac.digest('base64url')
}

/** Compares seals in constant time. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The key of a lease. It is a key object, because Node would otherwise import the key for every seal, which takes eight times as long. */
export function leaseKey(secret: KeyObject, askerNonce: string, lenderNonce: string): KeyObject {
  return createSecretKey(seal(secret, 'lease', askerNonce, lenderNonce), 'base64url')
}

/** The key of the call sent along with a slot request, before there is an answer. A request is accepted once, and so is this. */
export function aheadKey(secret: KeyObject, to: string, askerNonce: string): KeyObject {
  return createSecretKey(seal(secret, 'ahead', to, askerNonce), 'base64url')
}

/** Seal of the n-th keep-alive (from 1) that a node sends before its answer. */
export function signSeal(secret: KeyObject, lender: string, askerNonce: string, count: number): string {
  return seal(secret, 'sign', lender, askerNonce, String(count))
}

/** 144 random bits. */
export function makeNonce(): string {
  return randomBytes(18).toString('base64url')
}

/**
 * Splits a stream into lines.
 *
 * @throws {Error} if a line is longer than `most()` bytes, or the stream ends within one.
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

/** Header fields that authenticate a slot request and prevent replay. */
export interface QuestionHeaders {
  readonly 'x-sepia-node': string
  readonly 'x-sepia-time': string
  readonly 'x-sepia-nonce': string
  readonly 'x-sepia-seal': string
}

/** Seals a slot request for one node. */
export function sealQuestion(secret: KeyObject, { from, to, line, at }: SealedQuestion & { readonly at: number }): QuestionHeaders {
  const [time, nonce] = [String(at), makeNonce()]
  return {
    'x-sepia-node': from,
    'x-sepia-time': time,
    'x-sepia-nonce': nonce,
    'x-sepia-seal': seal(secret, 'question', from, to, time, nonce, line),
  }
}

/** A slot request with its sender and recipient. */
export interface SealedQuestion {
  readonly from: string
  readonly to: string
  readonly line: string
}

/** Rejects forged, outdated and replayed slot requests. */
export class QuestionGuard {
  readonly #secret: KeyObject
  readonly #clock: Clock
  /** Nonces of the last minute, oldest first, with their expiry. */
  readonly #seen = new Map<string, number>()

  constructor(secret: KeyObject, clock: Clock) {
    this.#secret = secret
    this.#clock = clock
  }

  /** Whether a slot request is genuine, recent, addressed to `to` and not replayed. */
  admits(headers: Readonly<Record<string, unknown>>, { to, line }: Pick<SealedQuestion, 'to' | 'line'>): boolean {
    const field = (name: keyof QuestionHeaders) => String(headers[name] ?? '')
    const [from, time, nonce] = [field('x-sepia-node'), field('x-sepia-time'), field('x-sepia-nonce')]
    // Only nonces of genuine requests are stored, or strangers could fill the memory.
    if (!isEqual(field('x-sepia-seal'), seal(this.#secret, 'question', from, to, time, nonce, line))) return false
    const now = this.#clock.now()
    if (!(Math.abs(now - Number(time)) <= questionWindowMs)) return false
    for (const [old, until] of this.#seen) {
      if (until > now) break
      this.#seen.delete(old)
    }
    if (this.#seen.has(nonce)) return false
    this.#seen.set(nonce, now + 2 * questionWindowMs + 1)
    return true
  }
}
