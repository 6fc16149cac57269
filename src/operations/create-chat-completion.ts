import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { generateText } from './generate-text.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'

/** Answers a conversation while its caller waits; see {@link generateText}. */
export function createChatCompletion(
  deps: InteractiveDependencies,
  input: { readonly caller: Caller; readonly request: TextRequest },
  options: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  return generateText(deps, { ...input, kind: 'chat' }, options)
}
