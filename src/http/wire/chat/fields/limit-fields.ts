import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { TextRequest } from '../../../../core/text-generation.ts'
import { type BodyOf, integerField, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'

const most = 2 ** 31 - 1
const limit = { minimum: -1, maximum: most }

/** llama.cpp's name for the limit. */
export const predictField = Type.Optional(integerField(-1, most, "llama.cpp's name for max_tokens; -1 = what the context holds."))

/** The limit of a chat's answer. */
export const limitFields = {
  ...optional({
    max_tokens: Type.Integer({
      ...limit,
      description: 'Maximum number of tokens to generate; by default, or with -1, as many as the context holds.',
    }),
    max_completion_tokens: Type.Integer({ ...limit, description: "OpenAI's newer name for max_tokens; send one of them." }),
  }),
  n_predict: predictField,
}

type LimitBody = BodyOf<typeof limitFields>

/** Finds two names with different values, and a limit of 0. */
export function findLimitFaults(
  { max_tokens, max_completion_tokens, n_predict }: LimitBody,
  { least = 1 }: { readonly least?: 0 | 1 } = {},
): readonly FieldFault[] {
  if ((max_tokens ?? max_completion_tokens ?? n_predict) === undefined) return []
  const faults: FieldFault[] = []
  const [first, ...others] = Object.entries({ max_tokens, max_completion_tokens, n_predict }).filter(([, value]) => value !== undefined)
  for (const [name, value] of others)
    if (value !== first?.[1]) faults.push(fieldFault(name, `contradicts \`${first?.[0]}\`; send one of them.`))
  for (const [name, value] of Object.entries({ n_predict, ...(least === 1 && { max_tokens, max_completion_tokens }) }))
    if (value === 0) faults.push(fieldFault(name, 'must be -1 or at least 1.', 'range'))
  return faults
}

/** The limit, and whether it is the default, which the context and a budget may shorten. */
export function readLimit(
  { max_tokens, max_completion_tokens, n_predict }: LimitBody,
  standard = most,
): Pick<TextRequest, 'maxTokens' | 'maxTokensIsDefault'> {
  const named = max_completion_tokens ?? max_tokens ?? n_predict
  if (named === -1) return { maxTokens: most, maxTokensIsDefault: true }
  return named === undefined ? { maxTokens: standard, maxTokensIsDefault: true } : { maxTokens: named }
}
