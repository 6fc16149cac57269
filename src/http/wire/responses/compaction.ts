import Type from 'typebox'
import { isRecord, type JsonObject } from '../../../core/json-value.ts'
import type { TextResult } from '../../../operations/collect-text.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import { newId } from '../answer.ts'
import { encodeResponseUsage, type ResponseHead } from './response.ts'
import { parseResponseRequest, type ResponseBody, responseRequestSchema } from './response-request.ts'
import { pack } from './tool-history.ts'

/** The prompt that asks a model for a summary. */
const summaryRequest =
  'Summarize the conversation above so that it can go on from your summary alone: the goal, decisions, facts, names, numbers and code that still matter, and what is left to do. Write only the summary.'

const { model, instructions, previous_response_id, prompt_cache_key, prompt_cache_retention, prompt_cache_options, service_tier } =
  responseRequestSchema.properties

/** The body of POST /v1/responses/compact. */
export const compactRequestSchema = closed({
  model,
  input: Type.Optional(responseRequestSchema.properties.input),
  instructions,
  previous_response_id,
  prompt_cache_key,
  prompt_cache_retention,
  prompt_cache_options,
  service_tier,
})

const envelope = createBodyChecker(closed({ ...compactRequestSchema.properties, input: Type.Optional(Type.Unknown()) }))
/** The limit of a summary. */
const mostTokens = 2048

/** Reads the body of POST /v1/responses/compact as a request for a summary. @throws {ServiceError} naming every fault at once. */
export function parseCompactRequest(received: unknown): ResponseBody {
  envelope.parse(received, textFaultCodes)
  const { input = [], ...rest } = isRecord(received) ? received : {}
  const items: readonly unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input }]
  return parseResponseRequest({ ...rest, input: [...items, { role: 'user', content: summaryRequest }], max_output_tokens: mostTokens })
}

/** A conversation as one item, to be sent before the next input. */
export function encodeCompaction({ id, created }: ResponseHead, { choices, usage }: TextResult): JsonObject {
  const item = { id: newId('cmp_'), type: 'compaction', encrypted_content: pack('summary', choices[0]?.text ?? '') }
  return { id, object: 'response.compaction', created_at: created, output: [item], usage: encodeResponseUsage(usage) }
}

/** The answer of POST /v1/responses/compact. */
export const compactionSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  output: Type.Array(Type.Object({ id: Type.String(), type: Type.Literal('compaction'), encrypted_content: Type.String() }), {
    description: 'Send this at the beginning of the next `input`; the summary in it is opaque.',
  }),
  usage: Type.Object({}),
})
