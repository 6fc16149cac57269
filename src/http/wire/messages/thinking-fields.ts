import Type from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatInput, ResponseFormat } from '../../../core/text-generation.ts'
import { type BodyOf, closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { jsonObject } from '../chat/response-format-field.ts'

const display = Type.Optional(
  Type.Enum(['summarized', 'omitted'], { description: 'Whether reasoning is shown; it is complete, not summarised.' }),
)
const format = closed({ type: Type.Literal('json_schema'), schema: jsonObject })

/** The reasoning of a model and the format of its answer. */
export const thinkingFields = optional({
  thinking: Type.Union(
    [
      closed({ type: Type.Literal('enabled'), budget_tokens: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), display }),
      closed({ type: Type.Literal('adaptive'), display }),
      closed({ type: Type.Literal('disabled') }),
    ],
    { description: 'Whether the model reasons before it answers, if its template supports that; off by default.' },
  ),
  output_config: closed(
    { effort: Type.Optional(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max'])), format: Type.Optional(format) },
    { description: 'How much the model reasons, and a JSON schema for its answer.' },
  ),
  output_format: { ...format, description: 'The older name for `output_config.format`.' },
  context_management: closed(
    { edits: Type.Optional(Type.Array(jsonObject, { maxItems: 16 })) },
    { description: 'Only `clear_thinking_…` edits: templates drop earlier reasoning anyway.' },
  ),
})

type ThinkingBody = BodyOf<typeof thinkingFields> & { readonly max_tokens?: number }

/** Finds a reasoning budget that leaves no room for an answer, and edits of anything but reasoning. */
export function findThinkingFaults({
  thinking,
  output_config,
  output_format,
  context_management,
  max_tokens,
}: ThinkingBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (thinking?.type === 'enabled' && max_tokens !== undefined && thinking.budget_tokens >= max_tokens)
    faults.push(fieldFault(['thinking', 'budget_tokens'], 'must be less than `max_tokens`: lower it, or raise the other.', 'range'))
  if (output_config?.format !== undefined && output_format !== undefined)
    faults.push(fieldFault('output_format', 'contradicts `output_config.format`; send one of them.'))
  for (const [index, edit] of (context_management?.edits ?? []).entries()) {
    if (typeof edit.type === 'string' && edit.type.startsWith('clear_thinking_')) continue
    const words = 'must be of a type clear_thinking_…: this service edits nothing else.'
    faults.push(fieldFault(['context_management', 'edits', index], words, 'unsupported_parameter'))
  }
  return faults
}

/** The reasoning options. They are only a preference, because clients send them to every model. */
export function readThinking({ thinking, output_config }: ThinkingBody): Pick<ChatInput, 'effort' | 'effortIsWish' | 'thoughtTokens'> {
  const requested = output_config?.effort
  const off = thinking?.type === 'disabled' || (thinking === undefined && requested === undefined)
  const budget = thinking?.type === 'enabled' ? { thoughtTokens: thinking.budget_tokens } : {}
  return { effort: off ? 'none' : (requested ?? 'high'), effortIsWish: true, ...budget }
}

/** Whether the answer shows the model's reasoning. */
export function showsThoughts({ thinking }: ThinkingBody): boolean {
  return thinking === undefined || thinking.type === 'disabled' || thinking.display !== 'omitted'
}

/** The format of the answer; any text by default. */
export function readAnswerFormat({ output_config, output_format }: ThinkingBody): ResponseFormat {
  const requested = output_config?.format ?? output_format
  if (requested === undefined) return { type: 'text' }
  return { type: 'json_schema', schema: requested.schema, field: output_format === undefined ? 'output_config' : 'output_format' }
}
