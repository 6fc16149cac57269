import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ErrorCode } from '../../core/error.ts'
import { Turns } from '../../core/turns.ts'
import { JsonThread, type ParsedBody } from '../json/json-thread.ts'
import { parseJson } from '../json/parse-json.ts'
import { limitPerTurn } from '../limits/limit-per-turn.ts'

/** Bodies up to this size are parsed on the main thread, usually in 2 ms and at most in 20 ms; longer ones in a worker thread. */
const smallBytes = 256 * 1024

/** Bytes of small bodies that are parsed in one turn of the event loop. */
const bytesPerTurn = 64 * 1024

/** A text request counts as so many bytes at least, so that four start in one turn: each takes 2 to 4 ms in all. */
const textBytes = bytesPerTurn / 4

/** Parsing and checking up to this time has no consequence. After longer work, the owner waits four times as long. */
const freeMs = 4
const freeBytes = 16 * 1024
const pause = 4

export interface BodyOwner {
  /** The account, or the address before authentication. Each owner waits for its own bodies, and for at most one of every other. */
  readonly owner: string
  /** The code for a body that nests too deeply; text and image routes differ. */
  readonly tooDeep: ErrorCode
  /** Whether the bytes are needed besides the value. Otherwise large bodies are not copied back from the thread. */
  readonly keepBytes: boolean
  /** Whether a text request starts with it. */
  readonly startsText: boolean
  readonly signal: AbortSignal
}

/** Parses bodies so that no body blocks the event loop for long, and many bodies of one owner hardly delay another's. */
export class BodyParser implements AsyncDisposable {
  readonly #ownTurns = new Turns(1)
  readonly #thread: JsonThread
  readonly #takeTurn = limitPerTurn(bytesPerTurn)

  /** @param largestBytes The limit of any body. */
  constructor(largestBytes: number) {
    this.#thread = new JsonThread(largestBytes)
  }

  /** @throws {ServiceError} as `parseJson` does. */
  async parse(bytes: Buffer<ArrayBuffer>, { owner, tooDeep, keepBytes, startsText, signal }: BodyOwner): Promise<ParsedBody> {
    if (bytes.length > smallBytes) {
      using _turn = await this.#ownTurns.take(`large ${owner}`, { signal })
      if (startsText) await this.#takeTurn(textBytes)
      return await this.#thread.parse(bytes, { tooDeep, keepBytes })
    }
    const turn = await this.#ownTurns.take(`small ${owner}`, { signal })
    let startedAt: number | null = null
    try {
      await this.#takeTurn(Math.max(bytes.length, startsText ? textBytes : 0))
      signal.throwIfAborted()
      startedAt = performance.now()
      return { bytes, value: parseJson(bytes, tooDeep) }
    } finally {
      void rest(bytes.length, startedAt).then(() => turn[Symbol.dispose]())
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}

/** The time after a body in which its owner's next one is not parsed; the value is checked in it. */
async function rest(bytes: number, startedAt: number | null): Promise<void> {
  if (startedAt === null || bytes < freeBytes) return
  await setImmediate()
  const heldMs = performance.now() - startedAt
  if (heldMs > freeMs) await setTimeout(heldMs * pause, undefined, { ref: false })
}
