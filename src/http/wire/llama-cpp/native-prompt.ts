import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { closed } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { findTooManyPrompts, maxPrompts } from '../chat/fields/prompt-field.ts'
import { maxTokenIds, tokenId } from '../tokens/token-ids.ts'

/** Limit of texts among tokens; the model tokenizes each separately. */
const maxMixed = 1024

const wrapped = closed(
  { prompt_string: Type.String({ description: 'A text.' }) },
  { description: 'Not supported: prompts with images or sound.' },
)

/** The prompts of llama.cpp's clients. */
export const nativePromptField = Type.Union(
  [
    Type.String(),
    wrapped,
    Type.Array(
      Type.Union([
        Type.String(),
        tokenId,
        wrapped,
        Type.Array(Type.Union([tokenId, Type.String()]), { minItems: 1, maxItems: maxTokenIds }),
      ]),
      { minItems: 1, maxItems: maxTokenIds },
    ),
  ],
  {
    description: `A text, with control tokens by their spelling; tokens, or tokens and texts mixed; or a list of up to ${maxPrompts} of these, which is answered by a list.`,
  },
)

type PromptBody = Static<typeof nativePromptField>

/** One prompt: its parts in order, which are texts or tokens. */
export type PromptPieces = readonly (string | number)[]

/** Finds mixtures of tokens and lists, and lists of too many prompts. */
export function findNativePromptFaults(prompt: PromptBody): readonly FieldFault[] {
  if (!Array.isArray(prompt)) return []
  const mixed = readNativePrompts(prompt).prompts.filter((pieces) => pieces.length > 1)
  const texts = mixed.reduce((sum, pieces) => sum + pieces.filter((piece) => typeof piece === 'string').length, 0)
  if (texts > maxMixed)
    return [fieldFault('prompt', `must hold at most ${maxMixed} texts among tokens, not ${texts}; tokenize them first.`, 'range')]
  const kinds = new Set(prompt.map((entry) => typeof entry))
  if (kinds.has('number')) return kinds.has('object') ? [fieldFault('prompt', 'must not mix tokens and whole prompts.')] : []
  return findTooManyPrompts(prompt)
}

/** The prompts, at least one, and whether they came as a list. */
export function readNativePrompts(prompt: PromptBody): { readonly prompts: readonly PromptPieces[]; readonly several: boolean } {
  if (typeof prompt === 'string') return { prompts: [[prompt]], several: false }
  if (!isList(prompt)) return { prompts: [[prompt.prompt_string]], several: false }
  if (prompt.some((entry) => typeof entry === 'number'))
    return { prompts: [prompt.filter((entry) => typeof entry === 'number' || typeof entry === 'string')], several: false }
  return { prompts: prompt.map(readEntry), several: prompt.length > 1 }
}

function readEntry(entry: string | number | Static<typeof wrapped> | readonly (string | number)[]): PromptPieces {
  if (typeof entry !== 'object') return [entry]
  return 'prompt_string' in entry ? [entry.prompt_string] : entry
}

function isList(prompt: PromptBody): prompt is Extract<PromptBody, readonly unknown[]> {
  return Array.isArray(prompt)
}
