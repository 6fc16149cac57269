import { fileURLToPath } from 'node:url'
import type { TextModelDescriptor } from '../../src/core/model.ts'
import type { SamplingParameters, TextPart, TextRequest } from '../../src/core/text-generation.ts'
import { makeTextRequest } from './text-request.ts'

const folder = fileURLToPath(new URL('../../models/sepia-mini-chat/', import.meta.url))

/** The built-in model, for tests and benches. */
export const miniChat: TextModelDescriptor = {
  kind: 'text',
  id: 'sepia-mini-chat',
  name: 'Sepia Mini Chat',
  format: 'gguf',
  folder,
  file: `${folder}model.gguf`,
  license: 'Apache-2.0',
  bytes: 7_950_048,
  created: 0,
  contextLength: 1024,
  embeddings: false,
  speculative: null,
}

export const greedy: SamplingParameters = { ...makeTextRequest('').sampling, temperature: 0, seed: 0 }

/** A greedy one-message request, changed as the test says. */
export function ask(
  content: string,
  changes: Partial<Omit<TextRequest, 'sampling'>> & { sampling?: Partial<SamplingParameters> } = {},
): TextRequest {
  return makeTextRequest(content, { model: miniChat.id, maxTokens: 64, ...changes, sampling: { ...greedy, ...changes.sampling } })
}

/** The text of one choice. */
export function textOf(parts: readonly TextPart[], choice = 0): string {
  return parts.map((part) => (part.type === 'text' && part.choice === choice ? part.text : '')).join('')
}
