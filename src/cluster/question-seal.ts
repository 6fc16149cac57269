import type { KeyObject } from 'node:crypto'
import type { Clock } from '../core/ports/clock.ts'
import { questionWindowMs } from './lease-wire.ts'
import { isEqual, makeNonce, seal } from './sealed-lines.ts'

/** Header fields that prove who asks, when, and for the first time. */
export interface QuestionHeaders {
  readonly 'x-sepia-node': string
  readonly 'x-sepia-time': string
  readonly 'x-sepia-nonce': string
  readonly 'x-sepia-seal': string
}

/** Seals a question for one node, once. */
export function sealQuestion(secret: KeyObject, { from, to, line, at }: SealedQuestion & { readonly at: number }): QuestionHeaders {
  const [time, nonce] = [String(at), makeNonce()]
  return {
    'x-sepia-node': from,
    'x-sepia-time': time,
    'x-sepia-nonce': nonce,
    'x-sepia-seal': seal(secret, 'question', from, to, time, nonce, line),
  }
}

/** A question and the nodes it goes between. */
export interface SealedQuestion {
  readonly from: string
  readonly to: string
  readonly line: string
}

/** Tells questions of nodes that have the secret from forged, old and repeated ones. */
export class QuestionGuard {
  readonly #secret: KeyObject
  readonly #clock: Clock
  /** Nonces of the last minute, oldest first, with the time until which they could be repeated. */
  readonly #seen = new Map<string, number>()

  constructor(secret: KeyObject, clock: Clock) {
    this.#secret = secret
    this.#clock = clock
  }

  /** Whether a question is genuine, recent, meant for `to` and heard for the first time. */
  admits(headers: Readonly<Record<string, unknown>>, { to, line }: Pick<SealedQuestion, 'to' | 'line'>): boolean {
    const field = (name: keyof QuestionHeaders) => String(headers[name] ?? '')
    const [from, time, nonce] = [field('x-sepia-node'), field('x-sepia-time'), field('x-sepia-nonce')]
    // Only what is sealed is remembered, or strangers could fill the memory.
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
