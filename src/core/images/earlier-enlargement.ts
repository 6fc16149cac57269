import type { EnlargementRequest, ImageEncoding } from '../image-generation.ts'
import { isRecord } from '../json-value.ts'

/**
 * Enlarging as version 0.1 knows it, in their queues and between their nodes: a drawing with a mark. It is written so still, because a node of such a version
 * may run it.
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

/** An enlargement as a marked drawing, which nodes of version 0.1 can run. */
export function writeEnlargement({ image, ...size }: EnlargementRequest): EarlierEnlargement {
  return { ...size, seeds: [0], loras: [], initial: { image, strength: 1 }, enlarges: true }
}

/** The enlargement that an image request of an earlier version stands for; null = it is a drawing. */
export function readEnlargement(request: unknown): EnlargementRequest | null {
  if (!isEarlier(request)) return null
  const { model, width, height, encoding, initial } = request
  return { model, image: initial.image, width, height, encoding }
}

/** What was stored, or sealed by another node, is of our own making, so that the mark is enough. */
function isEarlier(request: unknown): request is EarlierEnlargement {
  return isRecord(request) && request.enlarges === true
}
