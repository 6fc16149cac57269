import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { EndingRules } from '../../../../core/text-generation.ts'
import { type BodyOf, integerField, optional } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'
import { tokenId } from '../../tokens/token-ids.ts'

const entry = Type.String({ maxLength: 1000 })

/** A list of stop strings. */
export const stopList = Type.Array(entry, { maxItems: 64 })

/** One stop string or up to 64. */
export const stopField = Type.Optional(
  Type.Union([entry, stopList], { description: 'Strings that end the output; they are not part of it. Empty ones are ignored.' }),
)

/** The stop strings of an answer, without empty ones. */
export function readStop(stop: string | readonly string[] | undefined): readonly string[] {
  return (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '')
}

/** vLLM's fields about the end of an answer, in addition to `stop` and the limit; for chat and plain completions. */
export const endingFields = optional({
  include_stop_str_in_output: Type.Boolean({ default: false, description: 'Whether the stop string that ends the output is part of it.' }),
  stop_token_ids: Type.Array(tokenId, { maxItems: 64, description: 'Tokens that end the output and are not part of it, by id.' }),
  min_tokens: integerField(0, 2 ** 31 - 1, 'Minimum number of tokens; until then, only the limit ends the output.', 0),
  ignore_eos: Type.Boolean({ default: false, description: "Whether the output continues past the model's end token, up to the limit." }),
})

type EndingBody = BodyOf<typeof endingFields>

/** @param maxTokens The limit of the request, filled in. */
export function findEndingFaults({ min_tokens = 0 }: EndingBody, maxTokens: number): readonly FieldFault[] {
  if (min_tokens <= maxTokens) return []
  return [fieldFault('min_tokens', `must be at most the limit of ${maxTokens} tokens: lower it, or raise \`max_tokens\`.`, 'range')]
}

/** The rules of a body; undefined when it has none. */
export function readEnding(body: EndingBody): EndingRules | undefined {
  const ending: EndingRules = {
    includeStop: body.include_stop_str_in_output ?? false,
    stopTokens: body.stop_token_ids ?? [],
    minTokens: body.min_tokens ?? 0,
    ignoreEnd: body.ignore_eos ?? false,
  }
  const requested = ending.includeStop || ending.stopTokens.length > 0 || ending.minTokens > 0 || ending.ignoreEnd
  return requested ? ending : undefined
}
