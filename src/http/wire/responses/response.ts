import Type from 'typebox'
import type { ErrorRecord } from '../../../core/error.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { FinishReason, TokenUsage } from '../../../core/text-generation.ts'
import { type TextResult, warningsOf } from '../../../operations/collect-text.ts'
import { nullable } from '../../faults/object-schema.ts'
import { type Answer, newId } from '../answer.ts'
import { readTier } from '../chat/fields/urgency-fields.ts'
import { warningsField } from '../chat/text-answers.ts'
import { pageSchema } from '../page.ts'
import { encodeOutputItems, type OutputItem } from './output-items.ts'
import type { ResponseBody } from './response-request.ts'

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

/** The fields that a response and all of its events share. */
export interface ResponseHead {
  /** `resp_` and 32 hex digits. */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
}

/** A head with a new id and the current time. */
export function startResponse(clock: Clock): ResponseHead {
  return { id: newId('resp_'), created: Math.floor(clock.now() / 1000) }
}

type IncompleteReason = (typeof finishWords)[FinishReason]['responses']

/** The state of a response. */
export interface ResponseState {
  readonly status: Answer<typeof responseSchema>['status']
  /** Why it is incomplete; null or absent = it is complete. */
  readonly incomplete?: IncompleteReason
  readonly output?: readonly OutputItem[]
  readonly usage?: TokenUsage
  readonly error?: ErrorRecord
  /** Parts of the request that were not followed; absent = none. */
  readonly warnings?: readonly string[]
}

/** The response object: the request's fields, and its state. */
export function encodeResponse({ id, created }: ResponseHead, body: ResponseBody, state: ResponseState): JsonObject {
  const { status, incomplete = null, output = [], usage, error, warnings } = state
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    background: body.background ?? false,
    error: error === undefined ? null : { code: error.code, message: error.message },
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: body.model,
    output: output.map((item) => ({ ...item })),
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    service_tier: readTier(body) ?? 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: (body.text?.format ?? { type: 'text' }) as unknown as JsonObject },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []) as unknown as readonly JsonObject[],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: usage === undefined ? null : encodeResponseUsage(usage),
    ...(warnings !== undefined && { warnings }),
    metadata: (body.metadata ?? {}) as unknown as JsonObject,
  }
}

/** A finished response. */
export function encodeFinished(head: ResponseHead, body: ResponseBody, result: TextResult): JsonObject {
  const [choice] = result.choices
  if (choice === undefined) throw new TypeError('A model ended without an answer')
  return encodeResponse(head, body, {
    ...endOf(choice.reason),
    output: encodeOutputItems(head.id, body, choice),
    usage: result.usage,
    ...warningsOf(result),
  })
}

/** A failed response with what its model had written; null = nothing. */
export function encodeFailed(
  head: ResponseHead,
  body: ResponseBody,
  { error, written }: { readonly error: ErrorRecord; readonly written: TextResult | null },
): JsonObject {
  const [choice] = written?.choices ?? []
  if (written === null || choice === undefined) return encodeResponse(head, body, { status: 'failed', error })
  return encodeResponse(head, body, { status: 'failed', error, output: encodeOutputItems(head.id, body, choice), usage: written.usage })
}

/** The status of a response by its finish reason. */
export function endOf(reason: FinishReason): { readonly status: 'completed' | 'incomplete'; readonly incomplete: IncompleteReason } {
  const incomplete = finishWords[reason].responses
  return { status: incomplete === null ? 'completed' : 'incomplete', incomplete }
}

/** Token counts in the format of OpenAI's Responses. */
export function encodeResponseUsage({ promptTokens, completionTokens, cachedTokens, thoughtTokens = 0 }: TokenUsage): JsonObject {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: thoughtTokens },
    total_tokens: promptTokens + completionTokens,
  }
}
