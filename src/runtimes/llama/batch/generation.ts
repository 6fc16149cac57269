import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { AdapterSet } from './adapter-set.ts'
import type { PromptPicture } from './prompt-pictures.ts'

/** A token's log probability under the model alone, and the likeliest alternatives. */
export interface DrawnLogprobs {
  readonly logprob: number
  readonly top: readonly { readonly token: number; readonly logprob: number }[]
}

/** Why a generation ended by itself: the model said so, its limit was reached, or nothing may follow. */
export type GenerationEnd = 'end-token' | 'limit'

/** One completion for the decode loop to make. */
export interface Generation {
  readonly account: string
  readonly adapters: AdapterSet
  readonly prompt: Uint32Array
  /** What stands in the prompt in place of numbers from `firstRowNumber` on, in order. */
  readonly pictures: readonly PromptPicture[]
  /** Most tokens to draw, at least 1. */
  readonly limit: number
  /** Draws the next token from the logits at `index`; −1 when nothing may follow. A `ServiceError` fails this generation alone. */
  draw(context: DecodingContext, index: LogitIndex): Promise<number>
  /** Whether nothing that a token says changes how the next is drawn, so that its draw may be queued before the token has been handed out. */
  readonly drawsAhead: boolean
  /** Whether a drawn token ends the generation and is not part of it. */
  isEnd(token: number): boolean
  /** How many of the likeliest tokens are wanted with each token's log probability; null when nobody wants log probabilities. */
  readonly topLogprobs: number | null
  /**
   * Gets the log probabilities of each token of the prompt but the first, in order, before `onPrompt`; null = nobody wants them, so that what
   * is cached of the prompt is not read again.
   */
  readonly onPromptToken: ((token: number, logprobs: DrawnLogprobs) => void) | null
  /** The prompt is in the cache; `cachedTokens` of it were there before. */
  onPrompt(cachedTokens: number): void
  /** A token was drawn; false ends the generation, and nothing more is called. */
  onToken(token: number, logprobs: DrawnLogprobs | null): boolean
  onEnd(end: GenerationEnd): void
  onFailure(error: Error): void
  /** The loop draws no more. Called once, whatever happened before. */
  onRelease(): void
}
