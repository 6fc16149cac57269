/** Parameters of an answer in the chat playground, besides the model and the messages. */
export interface ChatParameters {
  readonly system: string
  readonly maxTokens: number
  /** Set if `maxTokens` is a limit although it is 512, which is stored for none. */
  readonly limited?: boolean
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
  readonly frequencyPenalty: number
  readonly presencePenalty: number
  readonly repetitionPenalty: number
  /** Empty = random. */
  readonly seed: string
  /** One stop string per line. */
  readonly stop: string
  readonly format: 'text' | 'json' | 'schema'
  /** JSON text of the schema, if the format is `schema`. */
  readonly schema: string
  /** JSON text of the available functions; empty = none. */
  readonly tools: string
  readonly toolChoice: 'auto' | 'required'
  /** LoRA adapters; absent = none. Those that do not fit the model are not sent. */
  readonly loras?: readonly { readonly name: string; readonly weight: number }[]
}

/** Named parameters, stored for an account. */
export interface ChatPreset {
  readonly id: string
  readonly name: string
  readonly parameters: ChatParameters
}

/** All presets of an account. */
export interface ChatPresets {
  /** By name. */
  readonly presets: readonly ChatPreset[]
  /** Name of the default preset for new conversations, or null. */
  readonly standard: string | null
}
