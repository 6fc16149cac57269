/** How an answer of the chat playground is asked for, besides its model and what was said. */
export interface ChatParameters {
  readonly system: string
  readonly maxTokens: number
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  readonly repetitionPenalty: number
  /** Empty = at random. */
  readonly seed: string
  /** One stop text per line. */
  readonly stop: string
  readonly format: 'text' | 'json' | 'schema'
  /** JSON text of the schema that answers follow where the format is `schema`. */
  readonly schema: string
  /** JSON text of the functions that the model may ask for; empty = none. */
  readonly tools: string
  readonly toolChoice: 'auto' | 'required'
}

/** Parameters under a name, kept for an account. */
export interface ChatPreset {
  readonly id: string
  readonly name: string
  readonly parameters: ChatParameters
}

/** Everything of it that an account keeps. */
export interface ChatPresets {
  /** By name. */
  readonly presets: readonly ChatPreset[]
  /** The one that new conversations begin with, or null. */
  readonly standard: string | null
}
