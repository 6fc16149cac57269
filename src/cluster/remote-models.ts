import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import { writeEnlargement } from '../core/images/earlier-enlargement.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { DetokenizeResult, EmbeddingResult, RankResult, TextPart, TokenizeResult } from '../core/text-generation.ts'
import type { Abortable } from '../core/waiting.ts'
import type { LeasedSlot } from './lease-slot.ts'

/** A text model on a leased slot of another node. Sealed results have the shape of the node's own model. */
export function createRemoteTextModel(slot: LeasedSlot, account: string): TextModel {
  const ask = async <Result>(method: string, request: unknown, { signal }: Abortable): Promise<Result> =>
    (await resultOf(slot.call(method, request, { signal, account }), () => {})) as Result
  return {
    ...slot.facts,
    generate: (request, { signal }) => slot.call('generate', request, { signal, account }) as AsyncGenerator<TextPart>,
    embed: (request, options) => ask<EmbeddingResult>('embed', request, options),
    ...(slot.abilities.includes('countPrompt') ? { countPrompt: (request, options) => ask<number>('countPrompt', request, options) } : {}),
    ...(slot.abilities.includes('rank') ? { rank: (request, options) => ask<RankResult>('rank', request, options) } : {}),
    ...(slot.abilities.includes('tokenize') ? { tokenize: (request, options) => ask<TokenizeResult>('tokenize', request, options) } : {}),
    ...(slot.abilities.includes('detokenize')
      ? { detokenize: (request, options) => ask<DetokenizeResult>('detokenize', request, options) }
      : {}),
  }
}

type DrawOptions = Pick<Parameters<ImageModel['generate']>[1], 'signal' | 'onProgress'>

/** An image model on a leased slot of another node, which resolves asset names itself. */
export function createRemoteImageModel(slot: LeasedSlot, account: string): ImageModel {
  const { device } = slot.facts
  const draw = async (request: unknown, { signal, onProgress }: DrawOptions): Promise<ImageResult> =>
    (await resultOf(slot.call('draw', request, { signal, account }), (part) => onProgress(part as ImageProgress))) as ImageResult
  return {
    ...(device === undefined ? {} : { device }),
    generate: draw,
    // Nodes of earlier versions expect it as a drawing.
    enlarge: (request, options) => draw(writeEnlargement(request), options),
  }
}

async function resultOf(call: AsyncGenerator<unknown, unknown>, onPart: (part: unknown) => void): Promise<unknown> {
  for (;;) {
    const { done, value } = await call.next()
    if (done) return value
    onPart(value)
  }
}
