import { isImageServer } from '../core/images/image-servers.ts'
import { familyOf } from '../core/model.ts'
import type { ListedModel } from '../operations/list-models.ts'
import type { ConsoleModel, ModelServer } from './contract/models.ts'

const unloaded = { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const

/** Facts about a model that its descriptor lacks. */
export interface ModelFacts {
  /** Its servers; empty = it runs here. Members only see whether any of them answers. */
  readonly servers: readonly ModelServer[]
  readonly removable: boolean
  readonly isOwner: boolean
  /** Names of the LoRA adapters that fit it. */
  readonly adapters: readonly string[]
}

/** A model without paths of the machine. Only owners see the addresses of its servers. */
export function showModel({ descriptor, state, contextLength }: ListedModel, facts: ModelFacts | null): ConsoleModel {
  const { modelId: _, ...standing } = state ?? { modelId: descriptor.id, ...unloaded }
  const { id, name, license, bytes, created, description } = descriptor
  const common = {
    id,
    name,
    license,
    bytes,
    created,
    state: standing,
    description,
    away: facts && isAway(facts.servers) ? (true as const) : undefined,
    removable: facts?.isOwner ? facts.removable : undefined,
    servers: facts?.isOwner && facts.servers.length > 0 ? facts.servers : undefined,
  }
  if (descriptor.kind === 'text') {
    const { kind, embeddings, generates = true, vision: looks = false, weights } = descriptor
    const adapters = facts !== null && facts.adapters.length > 0 ? facts.adapters : undefined
    return { ...common, kind, embeddings, generates, looks, contextLength, weights, adapters }
  }
  const { kind, native, draws, sizes, defaults, bounds, upscaler, refiner, checkpoint, format } = descriptor
  const takes = {
    refines: refiner !== null,
    drawsTwice: draws === 'requested' && !isImageServer(format),
    takesAssets: checkpoint !== undefined,
    repaintsOnly: checkpoint?.inpainting ?? false,
  }
  return { ...common, kind, native, draws, sizes, defaults, family: familyOf(descriptor), ...takes, bounds, enlarges: upscaler?.scale }
}

function isAway(servers: readonly ModelServer[]): boolean {
  return servers.length > 0 && servers.every(({ answers }) => answers === false)
}
