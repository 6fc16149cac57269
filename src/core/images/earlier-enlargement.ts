import type { EnlargementRequest, ImageEncoding } from '../image-generation.ts'
import { isRecord } from '../json-value.ts'

/**
 * The enlargement format of version 0.1 in queues and between nodes: a drawing with a mark. It is still written because a node of that
 * version may run it.
 */
interface EarlierEnlargement {
  readonly model: string
  readonly width: number
  readonly height: number
  readonly encoding: ImageEncoding
  readonly seeds: readonly [0]
  readonly loras: readonly []
  readonly initial: { readonly image: Uint8Array; readonly strength: 1 }
  readonly enlarges: true
}

/** Encodes an enlargement as a marked drawing for nodes of version 0.1. */
export function writeEnlargement({ image, ...size }: EnlargementRequest): EarlierEnlargement {
  return { ...size, seeds: [0], loras: [], initial: { image, strength: 1 }, enlarges: true }
}

/** Decodes an enlargement in the format of version 0.1; null = a drawing. */
export function readEnlargement(request: unknown): EnlargementRequest | null {
  if (!isEarlier(request)) return null
  const { model, width, height, encoding, initial } = request
  return { model, image: initial.image, width, height, encoding }
}

/** Stored and sealed requests come from Sepia itself, so that checking the mark suffices. */
function isEarlier(request: unknown): request is EarlierEnlargement {
  return isRecord(request) && request.enlarges === true
}
