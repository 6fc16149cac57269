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
  const able = <Result>(method: string) =>
    slot.abilities.includes(method) ? (request: unknown, options: Abortable) => ask<Result>(method, request, options) : undefined
  return {
    ...slot.facts,
    generate: (request, { signal }) => slot.call('generate', request, { signal, account }) as AsyncGenerator<TextPart>,
    embed: (request, options) => ask<EmbeddingResult>('embed', request, options),
    countPrompt: able<number>('countPrompt'),
    rank: able<RankResult>('rank'),
    tokenize: able<TokenizeResult>('tokenize'),
    detokenize: able<DetokenizeResult>('detokenize'),
  }
}

type DrawOptions = Pick<Parameters<ImageModel['generate']>[1], 'signal' | 'onProgress'>

/** An image model on a leased slot of another node, which resolves asset names itself. */
export function createRemoteImageModel(slot: LeasedSlot, account: string): ImageModel {
  const draw = async (request: unknown, { signal, onProgress }: DrawOptions): Promise<ImageResult> =>
    (await resultOf(slot.call('draw', request, { signal, account }), (part) => onProgress(part as ImageProgress))) as ImageResult
  return {
    device: slot.facts.device,
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
