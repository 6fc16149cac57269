import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { TextRequest } from '../../../../core/text-generation.ts'

const text = Type.String({ minLength: 1 })
const token = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const mostTokens = 2 ** 20
const mostPrompts = 128

/** What plain completions continue. */
export const promptField = Type.Union(
  [
    text,
    Type.Array(Type.Union([text, token, Type.Array(token, { minItems: 1, maxItems: mostTokens })]), { minItems: 1, maxItems: mostTokens }),
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
  if (kinds.size > 1) return [fault('must not mix texts, tokens and lists of tokens; send one kind.', 'conflict')]
  return kinds.has('number') || prompt.length <= mostPrompts ? [] : [fault(`must list at most ${mostPrompts} prompts; split it.`, 'range')]
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

function fault(words: string, kind: string): FieldFault {
  return { path: ['prompt'], message: `\`prompt\` ${words}`, kind }
}
