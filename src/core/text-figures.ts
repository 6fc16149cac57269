/** What the runtime of a language model tells of its cache and its guesses. */
export interface TextFigures {
  /** Share of the KV cache that running requests fill, 0 to 1; conversations kept warm beside them do not count. */
  readonly cacheUse: number
  /** How often tokens were guessed since the model was loaded (speculative decoding). */
  readonly guesses: number
  /** The tokens that were guessed. */
  readonly guessedTokens: number
  /** Those of them that were right. */
  readonly rightTokens: number
}
