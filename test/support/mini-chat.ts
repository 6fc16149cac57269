import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TextModelDescriptor } from '../../src/core/model.ts'
import type { SamplingParameters, TextPart, TextRequest } from '../../src/core/text-generation.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { makeTextRequest } from './text-request.ts'

const folder = fileURLToPath(new URL('../../models/sepia-mini-chat/', import.meta.url))

/** The smallest built-in model, for tests and benches. */
export const miniChat: TextModelDescriptor = describeFakeText({
  id: 'sepia-mini-chat',
  name: 'Sepia Mini Chat',
  folder,
  file: `${folder}model.gguf`,
  license: 'Apache-2.0',
  bytes: 7_950_048,
  created: 0,
  embeddings: false,
  ranks: false,
})

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

/** Flags of a service whose own models are the smallest alone, so that its first one answers at once. @param flags What else it is started with. */
export function withMiniModels(flags: readonly string[] = []): readonly string[] {
  const place = flags.indexOf('--models')
  const others = place === -1 ? [] : [flags[place + 1] ?? '']
  const rest = place === -1 ? flags : flags.toSpliced(place, 2)
  return ['--built-in-models', 'off', '--models', [join(import.meta.dirname, '../fixtures/models'), ...others].join(delimiter), ...rest]
}
