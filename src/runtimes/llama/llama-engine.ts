import type { AdapterShelf } from './adapter-shelf.ts'
import type { GrammarCache } from './automaton/grammar-cache.ts'
import type { DecodeLoop } from './batch/decode-loop.ts'
import type { NativeSampler, NativeSamplerConfig } from './binding/native-sampler.ts'
import type { Vocabulary } from './binding/vocabulary.ts'
import type { ConstraintCache } from './grammar/constraint-cache.ts'
import type { PictureMemory } from './pictures/picture-memory.ts'
import type { ChatTemplate } from './prompt/chat-template.ts'
import type { StretchMemory } from './prompt/stretch-memory.ts'
import type { ToolFormat } from './prompt/tool-format.ts'

/** A loaded model with everything that turns requests into tokens and tokens into text. */
export interface LlamaEngine {
  readonly vocabulary: Vocabulary
  readonly template: ChatTemplate
  readonly loop: DecodeLoop
  readonly adapters: AdapterShelf
  /** Tokens a sequence can hold, prompt and answer together. */
  readonly contextLength: number
  /** Bytes that one token spells, at most. */
  readonly longestToken: number
  readonly toolFormat: ToolFormat
  createSampler(config: NativeSamplerConfig): NativeSampler
  readonly grammars: GrammarCache
  readonly constraints: ConstraintCache
  readonly stretches: StretchMemory
  /** null = the model does not see. */
  readonly pictures: PictureMemory | null
}
