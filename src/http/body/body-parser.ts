import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ErrorCode } from '../../core/error.ts'
import { JsonThread, type ParsedBody } from '../json/json-thread.ts'
import { parseJson } from '../json/parse-json.ts'
import { fewPerTurn } from '../limits/few-per-turn.ts'

/** Bodies up to here are parsed at once, in 2 ms as a rule and 20 ms for the worst; longer ones in a thread. */
const smallBytes = 256 * 1024

/** Bytes of small bodies that are parsed in one turn of the event loop. */
const bytesPerTurn = 64 * 1024

/** Parsing and checking that holds the event loop no longer than this is free; behind a longer one its owner waits four times as long. */
const freeMs = 4
const freeBytes = 16 * 1024
const pause = 4

export interface BodyOwner {
  /** Account, or address before anybody is known: each waits for its own bodies, and for one of each other. */
  readonly owner: string
  /** The code for a body that nests too deep, which differs between text and image routes. */
  readonly tooDeep: ErrorCode
  /** Whether its bytes are needed beside its value; large ones are not copied back otherwise. */
  readonly keepBytes: boolean
  readonly signal: AbortSignal
}

/** Parses bodies so that none of any shape holds the event loop for long, and many of one owner hardly delay another's. */
export class BodyParser implements AsyncDisposable {
  readonly #queues = new SerialQueues()
  readonly #thread: JsonThread
  readonly #takeTurn = fewPerTurn(bytesPerTurn)

  /** @param largestBytes Of any body. */
  constructor(largestBytes: number) {
    this.#thread = new JsonThread(largestBytes)
  }

  /** @throws {ServiceError} as `parseJson` does. */
  parse(bytes: Buffer<ArrayBuffer>, { owner, tooDeep, keepBytes, signal }: BodyOwner): Promise<ParsedBody> {
    if (bytes.length > smallBytes)
      return this.#queues.run(`large ${owner}`, async () => {
        signal.throwIfAborted()
        return this.#thread.parse(bytes, { tooDeep, keepBytes })
      })
    let startedAt = 0
    const parseNow = async () => {
      await this.#takeTurn(bytes.length)
      signal.throwIfAborted()
      startedAt = performance.now()
      return { bytes, value: parseJson(bytes, tooDeep) }
    }
    const rest = async () => {
      if (bytes.length < freeBytes) return
      // What checks the value runs before the next turn.
      await setImmediate()
      const heldMs = performance.now() - startedAt
      if (heldMs > freeMs) await setTimeout(heldMs * pause, undefined, { ref: false })
    }
    return this.#queues.run(`small ${owner}`, parseNow, rest)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}

/** Queues in which one piece of work runs at a time, each with a name of its own; different queues do not wait for each other. */
class SerialQueues {
  readonly #last = new Map<string, Promise<void>>()

  /** @param rest Runs after the work, and before the next in the queue; nobody but that waits for it. */
  run<Result>(name: string, work: () => Promise<Result>, rest: () => Promise<void> = async () => {}): Promise<Result> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(work)
    const over = result.then(rest, rest).then(() => {
      if (this.#last.get(name) === over) this.#last.delete(name)
    })
    this.#last.set(name, over)
    return result
  }
}
