import { ServiceError } from '../../core/error.ts'
import { limitMs } from './database.ts'
import { databaseAway } from './database-fault.ts'

/** With less time than this nothing is begun any more. */
const leastMs = 250

interface Waiting<Input, Output> {
  /** Until when the caller waits for an answer, by the monotonic clock. */
  readonly deadline: number
  readonly input: Input
  readonly key: string | null
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does together what is asked for one by one: what has come up while the lanes were busy is the next group, so that a statement and
 * a commit serve many.
 */
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
   * @param work Answers each of the inputs, in their order, by the deadline.
   * @param bounds.lanes Groups under way at once.
   * @param bounds.most Inputs of one group.
   * @param bounds.keyOf Inputs of one key are never under way in two groups at once, so that they keep their order; null = no matter.
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

  /** @param deadline Until when an answer is waited for, by the monotonic clock. */
  add(input: Input, deadline = performance.now() + limitMs): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    this.#waiting.push({ input, key: this.#keyOf(input), deadline, resolve, reject })
    if (!this.#woken) {
      this.#woken = true
      // What is asked for in one go belongs into one group.
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
    const tooLate = performance.now() + leastMs
    for (const each of this.#waiting)
      if (each.deadline < tooLate) each.reject(databaseAway(new Error('A group before this one took too long.')))
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
      // What one of them is to blame for must not befall the others; where the database is away, all wait in vain.
      if (group.length > 1 && !(error instanceof ServiceError)) for (const each of group) await this.#serve([each])
      else for (const { reject } of group) reject(error)
    }
  }
}
