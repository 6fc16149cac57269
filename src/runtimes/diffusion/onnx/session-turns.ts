import type { InferenceSession } from 'onnxruntime-node'
import { Turns } from '../../../core/turns.ts'
import { neverAborted } from '../../../core/waiting.ts'

/** The methods for running a graph. */
export interface RunnableSession extends Pick<InferenceSession, 'inputMetadata' | 'outputMetadata' | 'release'> {
  run(feeds: InferenceSession.FeedsType, wanted: readonly string[]): Promise<InferenceSession.ReturnType>
}

type Create = () => Promise<InferenceSession>

/**
 * Sessions of a model's components, some of which are closed while another component runs and opened again for their next run. Mapped
 * weights may stay in the system's page cache.
 */
export class SessionTurns {
  readonly #yields: (part: string) => boolean
  readonly #open = new Map<Create, { readonly part: string; readonly session: InferenceSession }>()
  /** Of runs, so that none closes another's session. */
  readonly #turns = new Turns(1)

  /** @param yields Which components are closed when another one runs. */
  constructor(yields: (part: string) => boolean) {
    this.#yields = yields
  }

  /** A session of a part. It is opened once immediately, so that faults show. */
  async open(part: string, create: Create): Promise<RunnableSession> {
    const { inputMetadata, outputMetadata } = await this.#queue(async () => {
      // A component that stays takes no memory to speak of until it runs.
      if (this.#yields(part)) await this.#closeOthers(part)
      return this.#take(part, create)
    })
    return {
      inputMetadata,
      outputMetadata,
      run: (feeds, wanted) =>
        this.#queue(async () => {
          await this.#closeOthers(part)
          return (await this.#take(part, create)).run(feeds, [...wanted])
        }),
      release: () => this.#queue(() => this.#close(create)),
    }
  }

  async #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    using _turn = await this.#turns.take('', neverAborted)
    return await work()
  }

  async #take(part: string, create: Create): Promise<InferenceSession> {
    const session = this.#open.get(create)?.session ?? (await create())
    this.#open.set(create, { part, session })
    return session
  }

  async #closeOthers(part: string): Promise<void> {
    for (const [create, open] of [...this.#open]) if (open.part !== part && this.#yields(open.part)) await this.#close(create)
  }

  async #close(create: Create): Promise<void> {
    const open = this.#open.get(create)
    this.#open.delete(create)
    await open?.session.release()
  }
}
