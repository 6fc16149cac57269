import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest } from '../core/text-generation.ts'
import { generateText } from './generate-text.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'

/** Continues a bare prompt while its caller waits; see {@link generateText}. */
export function createCompletion(
  deps: InteractiveDependencies,
  input: { readonly caller: Caller; readonly request: TextRequest },
  options: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  return generateText(deps, { ...input, kind: 'completion' }, options)
}
