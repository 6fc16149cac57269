import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { TextRequest } from '../../../../core/text-generation.ts'
import { mostTokenIds, tokenId } from '../../tokens/token-ids.ts'

const text = Type.String({ minLength: 1 })
/** Most prompts of one request. */
export const mostPrompts = 128

/** What plain completions continue. */
export const promptField = Type.Union(
  [
    text,
    Type.Array(Type.Union([text, tokenId, Type.Array(tokenId, { minItems: 1, maxItems: mostTokenIds })]), {
      minItems: 1,
      maxItems: mostTokenIds,
    }),
  ],
  {
    description: `The text to continue, with control tokens by their spelling, or its tokens; or a list of up to ${mostPrompts} of either, each with choices of its own, in their order.`,
  },
)

type Prompt = Pick<Extract<TextRequest['input'], { type: 'prompt' }>, 'prompt' | 'tokens' | 'special'>

/** Finds lists of different things, and of too many. */
export function findPromptFaults(prompt: Static<typeof promptField>): readonly FieldFault[] {
  if (typeof prompt === 'string') return []
  const kinds = new Set(prompt.map((entry) => typeof entry))
  if (kinds.size > 1) return [promptFault('must not mix texts, tokens and lists of tokens; send one kind.', 'conflict')]
  return kinds.has('number') ? [] : findTooManyPrompts(prompt)
}

/** Finds lists of too many prompts. */
export function findTooManyPrompts({ length }: readonly unknown[]): readonly FieldFault[] {
  return length <= mostPrompts ? [] : [promptFault(`must list at most ${mostPrompts} prompts; split it.`, 'range')]
}

/** The prompts, at least one. */
export function readPrompts(prompt: Static<typeof promptField>): readonly Prompt[] {
  if (typeof prompt === 'string') return [spelled(prompt)]
  const tokens = prompt.filter((entry) => typeof entry === 'number')
  if (tokens.length > 0) return [{ prompt: '', tokens }]
  return prompt.flatMap((entry) =>
    typeof entry === 'string' ? [spelled(entry)] : typeof entry === 'object' ? [{ prompt: '', tokens: entry }] : [],
  )
}

/** As the other servers of this route read texts, so that a prompt may be written the way that the model's template does. */
function spelled(prompt: string): Prompt {
  return { prompt, special: true }
}

/** What is wrong with `prompt`, in words behind its name. */
export function promptFault(words: string, kind: string): FieldFault {
  return { path: ['prompt'], message: `\`prompt\` ${words}`, kind }
}
