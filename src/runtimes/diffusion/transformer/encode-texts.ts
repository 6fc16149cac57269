import { setImmediate } from 'node:timers/promises'
import type { EncodedPrompt, PromptPair, TextPath } from '../prompts/encode-prompts.ts'
import { promptChunks } from '../prompts/prompt-chunks.ts'
import type { EncodedRow } from '../prompts/text-encoder.ts'
import type { EncodeTexts } from '../unet/noise-predictor.ts'
import { type HiddenText, joinTexts, type LanguageModelEncoder, stackTexts, type T5Encoder } from './text-models.ts'

/** The text encoders of a family, by the combination of their outputs. */
export type TextModels =
  | { readonly kind: 'language-model'; readonly model: LanguageModelEncoder }
  /** CLIP's pooled text beside T5's rows. */
  | { readonly kind: 'pooled'; readonly clip: TextPath; readonly t5: T5Encoder }
  /** Rows of both CLIP encoders above those of T5 (or zeros), and both pooled texts concatenated. */
  | { readonly kind: 'stacked'; readonly clips: readonly [TextPath, TextPath]; readonly t5: T5Encoder | null; readonly width: number }

/**
 * Encodes the texts of a transformer. Texts that are too long are cut, as in diffusers; `clipSkip` does not touch the negative.
 *
 * @param most Tokens that the family reads.
 */
export function encodingTexts(models: TextModels, most: number): EncodeTexts {
  return async ({ positive, negative, clipSkip, maxTokens = most }, { signal }) => {
    const cuts: boolean[] = []
    const encode = async (pair: PromptPair, skip: number): Promise<EncodedPrompt> => {
      const { hidden, pooled } = await encodePair(models, pair, {
        skip,
        maxTokens,
        pause: async () => {
          // An encoder blocks the event loop; an abort can only arrive in between.
          await setImmediate()
          signal.throwIfAborted()
        },
      })
      cuts.push(hidden.isCut)
      return { hidden: hidden.values, tokens: hidden.tokens, pooled }
    }
    const wanted = await encode(positive, clipSkip)
    const unwanted = negative === null || negative === 'zeros' ? null : await encode(negative, 0)
    return { positive: wanted, negative: unwanted, ...(cuts.includes(true) && { cutAt: maxTokens }) }
  }
}

interface Encoding {
  readonly skip: number
  readonly maxTokens: number
  readonly pause: () => Promise<void>
}

async function encodePair(
  models: TextModels,
  pair: PromptPair,
  { skip, maxTokens, pause }: Encoding,
): Promise<{ readonly hidden: HiddenText; readonly pooled: Float32Array }> {
  const [first, second] = [textOf(pair.first), textOf(pair.second)]
  const third = pair.third === undefined ? first : textOf(pair.third)
  await pause()
  switch (models.kind) {
    case 'language-model':
      return { hidden: await models.model.encode(first, maxTokens), pooled: new Float32Array(0) }
    case 'pooled': {
      const { pooled } = await readClip(models.clip, first, 0)
      await pause()
      return { hidden: await models.t5.encode(second, maxTokens), pooled }
    }
    case 'stacked': {
      const rows = [await readClip(models.clips[0], first, skip), await readClip(models.clips[1], second, skip)]
      await pause()
      const { t5, width } = models
      // Without T5 the CLIPs alone read the text.
      const isCut = rows.some(({ hidden }) => hidden.isCut)
      const words = t5 === null ? { ...emptyText(maxTokens, width), isCut } : await t5.encode(third, maxTokens)
      const pooled = Float32Array.from(rows.flatMap((row) => [...row.pooled]))
      return { hidden: stackTexts([joinTexts(rows.map(({ hidden }) => hidden)), words]), pooled }
    }
  }
}

function textOf(parts: PromptPair['first']): string {
  return parts.map(({ text }) => text).join('')
}

async function readClip(
  { tokenizer, encoder }: TextPath,
  text: string,
  skip: number,
): Promise<{ readonly hidden: HiddenText; readonly pooled: Float32Array }> {
  const [chunk, ...rest] = promptChunks(tokenizer, [{ text, weight: 1 }])
  const [row]: readonly (EncodedRow | undefined)[] = await encoder.encode([{ ids: chunk?.ids ?? [] }], skip)
  const { hidden = new Float32Array(0), tokens = 0, width = 0, pooled = null } = row ?? {}
  return { hidden: { values: hidden, tokens, width, isCut: rest.length > 0 }, pooled: pooled ?? new Float32Array(0) }
}

function emptyText(tokens: number, width: number): HiddenText {
  return { values: new Float32Array(tokens * width), tokens, width, isCut: false }
}
