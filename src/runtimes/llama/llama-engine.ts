import type { ChatTemplate } from './chat-template.ts'
import type { DecodeLoop } from './decode-loop.ts'
import type { NativeSampler, NativeSamplerConfig } from './native-binding.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A loaded model with everything that turns requests into tokens and tokens into text. */
export interface LlamaEngine {
  readonly vocabulary: Vocabulary
  readonly template: ChatTemplate
  readonly loop: DecodeLoop
  /** Tokens a sequence can hold, prompt and answer together. */
  readonly contextLength: number
  createSampler(config: NativeSamplerConfig): NativeSampler
}
