import type { OnnxSession } from '../../onnx/onnx-session.ts'
import { type BranchKey, LoraBranches, neededBranches } from './lora-branches.ts'

interface Opened extends AsyncDisposable {
  readonly session: OnnxSession
}

/** A network with a branch for every module that LoRAs have changed so far. */
export interface Branched<Model> {
  readonly model: Model
  readonly session: OnnxSession
  readonly branches: ReadonlySet<BranchKey>
}

/** A second session over the mapped weights of a network, with branches for LoRAs. It is opened on first use. */
export class BranchedNetwork<Model> implements AsyncDisposable {
  readonly #open: (branches: LoraBranches) => Promise<Opened>
  readonly #wrap: (session: OnnxSession) => Model
  #current: (Branched<Model> & { readonly network: Opened }) | null = null

  constructor(open: (branches: LoraBranches) => Promise<Opened>, wrap: (session: OnnxSession) => Model) {
    this.#open = open
    this.#wrap = wrap
  }

  /** The network with at least these branches. */
  async with(wanted: ReadonlySet<BranchKey>): Promise<Branched<Model>> {
    const before = this.#current
    const needed = neededBranches(wanted, before?.branches ?? null)
    if (before !== null && needed === null) return before
    const branches = needed ?? wanted
    const network = await this.#open(new LoraBranches(branches))
    const { session } = network
    this.#current = { network, session, model: this.#wrap(session), branches }
    await before?.network[Symbol.asyncDispose]()
    return this.#current
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.network[Symbol.asyncDispose]()
  }
}
