import type { InferenceSession } from 'onnxruntime-node'

/** The methods for running a graph. */
export interface RunnableSession extends Pick<InferenceSession, 'inputMetadata' | 'outputMetadata' | 'release'> {
  run(feeds: InferenceSession.FeedsType, wanted: readonly string[]): Promise<InferenceSession.ReturnType>
}

type Create = () => Promise<InferenceSession>

/**
 * Sessions of a model's components. One component is loaded at a time: running another one closes it. Mapped weights may stay in the system's
 * page cache.
 */
export class SessionTurns {
  #part: string | null = null
  /** Sessions of the part whose turn it is. */
  readonly #open = new Map<Create, InferenceSession>()
  /** Serializes runs, so that none closes another's session. */
  #last: Promise<unknown> = Promise.resolve()

  /** A session of a part. It is opened once immediately, so that faults show. */
  async open(part: string, create: Create): Promise<RunnableSession> {
    const inTurn = <Result>(use: (session: InferenceSession) => Promise<Result>): Promise<Result> =>
      this.#queue(async () => use(await this.#take(part, create)))
    const { inputMetadata, outputMetadata } = await inTurn(async (session) => session)
    return {
      inputMetadata,
      outputMetadata,
      run: (feeds, wanted) => inTurn((session) => session.run(feeds, [...wanted])),
      release: () => this.#queue(() => this.#close(create)),
    }
  }

  #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  async #take(part: string, create: Create): Promise<InferenceSession> {
    if (part !== this.#part) for (const each of [...this.#open.keys()]) await this.#close(each)
    this.#part = part
    const session = this.#open.get(create) ?? (await create())
    this.#open.set(create, session)
    return session
  }

  async #close(create: Create): Promise<void> {
    const session = this.#open.get(create)
    this.#open.delete(create)
    await session?.release()
  }
}
