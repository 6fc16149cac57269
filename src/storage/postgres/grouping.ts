import { ServiceError } from '../../core/error.ts'
import { limitMs } from './database.ts'
import { databaseUnavailable } from './database-fault.ts'

/** Minimum time left for starting a group. */
const minMs = 250

interface Waiting<Input, Output> {
  /** End of the caller's wait, by the monotonic clock. */
  readonly deadline: number
  readonly input: Input
  readonly key: string | null
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
}

/** Batches calls: those that arrive while all lanes are busy form the next group, so that many share a statement and a commit. */
export class Grouping<Input, Output> {
  readonly #work: (inputs: readonly Input[], deadline: number) => Promise<readonly Output[]>
  readonly #lanes: number
  readonly #most: number
  readonly #keyOf: (input: Input) => string | null
  #waiting: Waiting<Input, Output>[] = []
  readonly #busyKeys = new Set<string>()
  #busy = 0
  #woken = false

  /**
   * @param work Processes inputs and returns a result for each, in order, by the deadline.
   * @param bounds.lanes Concurrent groups.
   * @param bounds.most Inputs per group.
   * @param bounds.keyOf Inputs with the same key are never processed in two groups at once, which keeps their order; null = unordered.
   */
  constructor(
    work: (inputs: readonly Input[], deadline: number) => Promise<readonly Output[]>,
    {
      lanes,
      most,
      keyOf = () => null,
    }: { readonly lanes: number; readonly most: number; readonly keyOf?: (input: Input) => string | null },
  ) {
    this.#work = work
    this.#lanes = lanes
    this.#most = most
    this.#keyOf = keyOf
  }

  /** @param deadline End of the wait, by the monotonic clock. */
  add(input: Input, deadline = performance.now() + limitMs): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    this.#waiting.push({ input, key: this.#keyOf(input), deadline, resolve, reject })
    if (!this.#woken) {
      this.#woken = true
      // Calls made in the same turn of the event loop belong to one group.
      queueMicrotask(() => {
        this.#woken = false
        this.#start()
      })
    }
    return promise
  }

  #start(): void {
    while (this.#busy < this.#lanes) {
      const group = this.#take()
      if (group.length === 0) return
      const keys = new Set(group.flatMap(({ key }) => key ?? []))
      for (const key of keys) this.#busyKeys.add(key)
      this.#busy++
      void this.#serve(group).finally(() => {
        this.#busy--
        for (const key of keys) this.#busyKeys.delete(key)
        this.#start()
      })
    }
  }

  #take(): readonly Waiting<Input, Output>[] {
    const taken: Waiting<Input, Output>[] = []
    const left: Waiting<Input, Output>[] = []
    const tooLate = performance.now() + minMs
    for (const each of this.#waiting)
      if (each.deadline < tooLate) each.reject(databaseUnavailable(new Error('A group before this one took too long.')))
      else (taken.length < this.#most && (each.key === null || !this.#busyKeys.has(each.key)) ? taken : left).push(each)
    this.#waiting = left
    return taken
  }

  async #serve(group: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.#work(
        group.map(({ input }) => input),
        Math.min(...group.map(({ deadline }) => deadline)),
      )
      for (const [index, { resolve, reject }] of group.entries()) {
        const output = outputs[index]
        if (output === undefined) reject(new Error('A group returned too few answers.'))
        else resolve(output)
      }
    } catch (error) {
      // One faulty input must not fail the others; but if the database is unavailable, all fail.
      if (group.length > 1 && !(error instanceof ServiceError)) for (const each of group) await this.#serve([each])
      else for (const { reject } of group) reject(error)
    }
  }
}

type Columns = Readonly<Record<string, readonly unknown[]>>

/**
 * Columns of a group for `unnest`. It pads short columns with null, so that columns of nulls are sent empty. The first column must not
 * contain null.
 */
export function groupColumns(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.every(isNothing) ? [] : values]))
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
