import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { AdapterSet } from './adapter-set.ts'
import type { PromptPicture } from './prompt-pictures.ts'

/** A token's log probability under the model alone, and the likeliest alternatives. */
export interface DrawnLogprobs {
  readonly logprob: number
  readonly top: readonly { readonly token: number; readonly logprob: number }[]
}

/** Why a generation ended: end token, limit, or no allowed continuation. */
export type GenerationEnd = 'end-token' | 'limit'

/** One completion for the decode loop to make. */
export interface Generation {
  readonly account: string
  readonly adapters: AdapterSet
  readonly prompt: Uint32Array
  /** Pictures in the prompt, in order; their rows have numbers from `firstRowNumber` on. */
  readonly pictures: readonly PromptPicture[]
  /** Most tokens to draw, at least 1. */
  readonly limit: number
  /** Draws the next token from the logits at `index`; −1 when nothing may follow. A `ServiceError` fails this generation alone. */
  draw(context: DecodingContext, index: LogitIndex): Promise<number>
  /** Whether a token never affects how the next is drawn, so that its draw may be queued before the token was delivered. */
  readonly drawsAhead: boolean
  /** Whether a drawn token ends the generation and is not part of it. */
  isEnd(token: number): boolean
  /** Number of top tokens with log probabilities per token; null = no log probabilities. */
  readonly topLogprobs: number | null
  /**
   * Receives the log probabilities of each prompt token but the first, in order, before `onPrompt`; null = not requested, so that cached
   * tokens are not read again.
   */
  readonly onPromptToken: ((token: number, logprobs: DrawnLogprobs) => void) | null
  /** The prompt is in the cache; `cachedTokens` of it were there before. */
  onPrompt(cachedTokens: number): void
  /** A token was drawn; false ends the generation, and nothing more is called. */
  onToken(token: number, logprobs: DrawnLogprobs | null): boolean
  onEnd(end: GenerationEnd): void
  onFailure(error: Error): void
  /** Called once when the loop stops drawing, in any case. */
  onRelease(): void
}
