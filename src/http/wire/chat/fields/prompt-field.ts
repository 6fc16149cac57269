import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { TextRequest } from '../../../../core/text-generation.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'
import { maxTokenIds, tokenId } from '../../tokens/token-ids.ts'

const text = Type.String({ minLength: 1 })
/** Most prompts of one request. */
export const maxPrompts = 128

/** The prompts of plain completions. */
export const promptField = Type.Union(
  [
    text,
    Type.Array(Type.Union([text, tokenId, Type.Array(tokenId, { minItems: 1, maxItems: maxTokenIds })]), {
      minItems: 1,
      maxItems: maxTokenIds,
    }),
  ],
  {
    description: `The text to continue, with control tokens by their spelling, or its tokens; or a list of up to ${maxPrompts} of either, each with its own choices, in order.`,
  },
)

type Prompt = Pick<Extract<TextRequest['input'], { type: 'prompt' }>, 'prompt' | 'tokens' | 'special'>

/** Finds lists of mixed kinds, and of too many prompts. */
export function findPromptFaults(prompt: Static<typeof promptField>): readonly FieldFault[] {
  if (typeof prompt === 'string') return []
  const kinds = new Set(prompt.map((entry) => typeof entry))
  if (kinds.size > 1) return [fieldFault('prompt', 'must not mix texts, tokens and lists of tokens; send one kind.')]
  return kinds.has('number') ? [] : findTooManyPrompts(prompt)
}

/** Finds lists of too many prompts. */
export function findTooManyPrompts({ length }: readonly unknown[]): readonly FieldFault[] {
  return length <= maxPrompts ? [] : [fieldFault('prompt', `must list at most ${maxPrompts} prompts; split it.`, 'range')]
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

/**
 * A text whose control tokens are recognised by their spelling, as in the other servers with this route, so that a prompt can contain the
 * model's template.
 */
function spelled(prompt: string): Prompt {
  return { prompt, special: true }
}
