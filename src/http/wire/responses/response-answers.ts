import Type, { type TSchema } from 'typebox'
import { warningsField } from '../chat/text-answers.ts'
import { pageSchema } from '../page.ts'

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const item = Type.Object({ id: Type.String(), type: Type.String() }, { additionalProperties: true })

/** A response: its request's fields, and its state. */
export const responseSchema = Type.Object(
  {
    id: Type.String({ pattern: '^resp_[0-9a-f]{32}$' }),
    object: Type.Literal('response'),
    created_at: Type.Integer({ description: 'Unix seconds.' }),
    status: Type.Enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    incomplete_details: nullable(Type.Object({ reason: Type.Enum(['max_output_tokens', 'content_filter']) })),
    model: Type.String(),
    warnings: warningsField,
    output: Type.Array(item, { description: 'Items: reasoning, message, function_call.' }),
    usage: nullable(
      Type.Object({
        input_tokens: Type.Integer(),
        input_tokens_details: Type.Object({ cached_tokens: Type.Integer(), cache_write_tokens: Type.Integer() }),
        output_tokens: Type.Integer(),
        output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
        total_tokens: Type.Integer(),
      }),
    ),
  },
  { additionalProperties: true, description: 'Also has every field of the request except its input.' },
)

/** A page of responses. */
export const responseListSchema = pageSchema(responseSchema)

/** A page of items. */
export const itemListSchema = pageSchema(item)

/** The answer to DELETE. */
export const deletedResponseSchema = Type.Object({ id: Type.String(), object: Type.Literal('response'), deleted: Type.Literal(true) })
