import Type from 'typebox'
import { nullable } from '../../faults/object-schema.ts'
import { warningsField } from '../chat/text-answers.ts'

const count = Type.Integer({ minimum: 0 })
const stopReason = Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal', 'pause_turn'])

/** Token counts in Anthropic's format. */
export const messageUsageSchema = Type.Object({
  input_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the prompt that were not cached.' }),
  cache_creation_input_tokens: count,
  cache_read_input_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the prompt that were cached.' }),
  output_tokens: count,
})

/** Answer of POST /v1/messages. */
export const messageAnswerSchema = Type.Object({
  id: Type.String({ pattern: '^msg_[0-9a-f]{32}$' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(
    Type.Union([
      Type.Object({ type: Type.Literal('text'), text: Type.String() }),
      Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
      Type.Object({ type: Type.Literal('tool_use'), id: Type.String(), name: Type.String(), input: Type.Object({}) }),
    ]),
  ),
  stop_reason: nullable(stopReason),
  stop_sequence: nullable(Type.String()),
  usage: messageUsageSchema,
  warnings: warningsField,
})

/** Answer of POST /v1/messages/count_tokens. */
export const messageCountSchema = Type.Object({ input_tokens: count })

/** The error body of Anthropic's routes. */
export const messageErrorSchema = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({ type: Type.String(), message: Type.String({ description: 'One sentence that says what to change.' }) }),
  request_id: Type.Optional(Type.String()),
})
