import { type BodyPart, bodyParts, longestBody } from '../../core/requests/logged-body.ts'
import type { NewBody } from './kept-bodies.ts'

/** A memory budget shared by captures. */
export interface HeldBytes {
  /** False = not enough memory left. */
  take(bytes: number): boolean
  release(bytes: number): void
}

type Description = Pick<NewBody, 'path' | 'contentType' | 'status'>

interface Collected {
  pieces: Uint8Array[]
  held: number
  length: number
  description: Description | null
}

/** Collects the bodies of one request up to their maximum size; drops all of them when memory runs out. */
export class BodyCapture {
  readonly #memory: HeldBytes
  #parts: Readonly<Record<BodyPart, Collected>> | null = { request: nothing(), answer: nothing() }

  constructor(memory: HeldBytes) {
    this.#memory = memory
  }

  /** Adds a copy, since the caller may reuse the buffer. */
  add(part: BodyPart, piece: Uint8Array | string): void {
    const collected = this.#parts?.[part]
    if (collected === undefined) return
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    collected.length += bytes.length
    const kept = bytes.subarray(0, longestBody - collected.held)
    if (kept.length === 0) return
    if (!this.#memory.take(kept.length)) {
      this.drop()
      return
    }
    collected.held += kept.length
    collected.pieces.push(typeof piece === 'string' ? kept : Buffer.from(kept))
  }

  /** Adds a body's metadata; a body without it is left out. */
  describe(part: BodyPart, { path, contentType, status }: Description): void {
    if (this.#parts !== null) this.#parts[part].description = { path, contentType, status }
  }

  /** Drops one part, or all. */
  drop(part?: BodyPart): void {
    for (const each of part === undefined ? bodyParts : [part]) {
      const collected = this.#parts?.[each]
      if (collected === undefined) continue
      this.#memory.release(collected.held)
      Object.assign(collected, nothing())
    }
    if (part === undefined) this.#parts = null
  }

  /** Returns the collected bodies; the caller must release their memory. */
  finish(): readonly Omit<NewBody, 'accountId' | 'requestId' | 'exchange'>[] {
    const parts = this.#parts
    this.#parts = null
    if (parts === null) return []
    return bodyParts.flatMap((part) => {
      const { description, pieces, length, held } = parts[part]
      if (description !== null) return [{ part, ...description, pieces, length }]
      this.#memory.release(held)
      return []
    })
  }
}

function nothing(): Collected {
  return { pieces: [], held: 0, length: 0, description: null }
}
