import { GuidedUnet } from '../unet/guided-unet.ts'
import type { NoisePredictor } from '../unet/noise-predictor.ts'
import { Unet } from '../unet/unet.ts'
import { type ControlSum, silence } from './control/controlnet.ts'
import { LoraBranches, neededBranches } from './lora/lora-branches.ts'
import { changedBranches, mixLoras, type WeightedLora } from './lora/mix-loras.ts'
import { writeUnetGraph } from './networks/unet-graph.ts'
import { readUnetShape, type UnetShape } from './networks/unet-shape.ts'
import type { OpenedNetwork, OpenNetwork } from './open-vae.ts'
import type { CheckpointParts } from './parts/checkpoint-parts.ts'

/** A UNet that takes LoRAs and ControlNets: a second session over the same mapped weights, made when it is first needed. */
export class AdaptableUnet implements AsyncDisposable {
  readonly shape: UnetShape
  readonly #parts: CheckpointParts
  readonly #open: OpenNetwork
  /** The session with branches, and the modules it has them for. */
  #extended: { readonly network: OpenedNetwork; readonly unet: GuidedUnet; readonly branches: ReadonlySet<string> } | null = null

  constructor(parts: CheckpointParts, open: OpenNetwork) {
    this.#parts = parts
    this.#open = open
    this.shape = readUnetShape(parts.unet, parts.unetOptions)
  }

  /** Steps of the way down that a ControlNet speaks to. */
  get skips(): number {
    return countSkips(this.#parts)
  }

  /** The UNet with these LoRAs and what ControlNets say. */
  async adapt(loras: readonly WeightedLora[], control: ControlSum | null): Promise<Pick<NoisePredictor, 'unet' | 'additions'>> {
    const wanted = changedBranches(loras, 'unet')
    const { unet, branches } = await this.#extend(wanted)
    const fixed = mixLoras(loras, { network: 'unet', weights: this.#parts.unet, branches })
    const silent = control === null ? silence(this.skips) : {}
    return { unet, additions: { feeds: async (evaluation) => ({ ...fixed, ...silent, ...(await control?.feeds(evaluation)) }) } }
  }

  async #extend(wanted: ReadonlySet<string>): Promise<{ readonly unet: GuidedUnet; readonly branches: ReadonlySet<string> }> {
    const before = this.#extended
    const branches = neededBranches(wanted, before?.branches ?? null)
    if (before !== null && branches === null) return before
    const all = branches ?? wanted
    const { unet: weights } = this.#parts
    const network = await this.#open(weights, 'unet', (target) =>
      writeUnetGraph(weights, this.shape, { target, branches: new LoraBranches(all), controlled: true }),
    )
    this.#extended = { network, branches: all, unet: new GuidedUnet(new Unet(network.session)) }
    await before?.network[Symbol.asyncDispose]()
    return this.#extended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extended?.network[Symbol.asyncDispose]()
  }
}

/** Skips of a UNet: its first convolution, and each block and change of size on the way down. */
function countSkips({ unet }: CheckpointParts): number {
  const blocks = Array.from({ length: unet.count('down_blocks.') }, (_, i) => `down_blocks.${i}`)
  const samplers = blocks.filter((block) => unet.holds(`${block}.downsamplers.`)).length
  return 1 + samplers + blocks.reduce((sum, block) => sum + unet.count(`${block}.resnets.`), 0)
}
