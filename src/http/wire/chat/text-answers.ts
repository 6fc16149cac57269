import Type, { type TSchema } from 'typebox'

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const tokenCount = Type.Integer({ minimum: 0 })
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'] as const
const finishReason = Type.Enum(finishReasons)

/** Token counts as every text route answers them. */
export const tokenUsageSchema = Type.Object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  total_tokens: tokenCount,
  prompt_tokens_details: Type.Object({ cached_tokens: tokenCount }),
  completion_tokens_details: Type.Optional(
    Type.Object({ reasoning_tokens: tokenCount }, { description: 'Only for models that reasoned.' }),
  ),
})

const alternative = { token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 })) }
/** Log probabilities as chat answers and chunks carry them. */
export const chatLogprobsSchema = Type.Object({
  content: Type.Array(Type.Object({ ...alternative, top_logprobs: Type.Array(Type.Object(alternative)) })),
})

const head = {
  id: Type.String({ pattern: '^cmpl-[0-9a-f]{32}$' }),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String(),
}

const toolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'JSON, as the model generated it.' }) }),
})

const customCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('custom'),
  custom: Type.Object({ name: Type.String(), input: Type.String() }),
})

const tier = Type.Optional(Type.Enum(['default', 'flex', 'priority'], { description: 'Only if the request names one.' }))

/** What of a request was not followed. */
export const warningsField = Type.Optional(
  Type.Array(Type.String(), { description: 'What of a JSON schema was not followed, and where; absent where all was.' }),
)

/** Answer of POST /v1/chat/completions. */
export const chatCompletionSchema = Type.Object({
  ...head,
  object: Type.Literal('chat.completion'),
  system_fingerprint: Type.Null(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: nullable(Type.String()),
        reasoning_content: Type.Optional(Type.String({ description: "The model's reasoning before its answer." })),
        function_call: nullable(
          Type.Object({ name: Type.String(), arguments: Type.String() }, { description: 'Only for requests with `functions`.' }),
        ),
        tool_calls: Type.Optional(Type.Array(Type.Union([toolCall, customCall]))),
      }),
      delta: Type.Null(),
      finish_reason: Type.Enum([...finishReasons, 'function_call']),
      logprobs: Type.Optional(chatLogprobsSchema),
    }),
  ),
  usage: tokenUsageSchema,
  warnings: warningsField,
  service_tier: tier,
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Your own notes, if the request had any or was stored.' }),
  ),
})

/** Log probabilities in the shape of plain completions. */
export const completionLogprobsSchema = Type.Object({
  tokens: Type.Array(Type.String()),
  token_logprobs: Type.Array(nullable(Type.Number()), { description: 'null for the first token of a prompt.' }),
  top_logprobs: Type.Array(nullable(Type.Record(Type.String(), Type.Number()))),
  text_offset: Type.Array(Type.Integer()),
})

/** Answer of POST /v1/completions; its stream's events have the same shape. */
export const completionSchema = Type.Object({
  ...head,
  object: Type.Literal('text_completion'),
  system_fingerprint: Type.Null(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      text: Type.String(),
      logprobs: nullable(completionLogprobsSchema),
      finish_reason: nullable(finishReason),
    }),
  ),
  usage: Type.Optional(tokenUsageSchema),
})

/** Answer of POST /v1/embeddings. */
export const embeddingSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer({ minimum: 0 }),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: 'Base64 of little-endian float32.' })]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: tokenCount, total_tokens: tokenCount }),
})
