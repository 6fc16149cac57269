import Type, { type Static } from 'typebox'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { type ResponseFormat, reasoningEfforts, type TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { acceptedFields } from '../chat/fields/accepted-fields.ts'
import { adapterFields, findAdapterFaults, readAdapters } from '../chat/fields/adapter-fields.ts'
import { readUrgency, urgencyFields } from '../chat/fields/urgency-fields.ts'
import { textModelField } from '../chat/require-text-model.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { readSampling, topFields } from '../chat/sampling-fields.ts'
import { accepted } from '../ignored-fields.ts'
import { metadataField } from '../metadata-field.ts'
import { findForeignItems, type InputItem, inputItemSchema } from './input-items.ts'
import { findItemFaults, readItems } from './read-items.ts'
import { findForeignResponseTools, findResponseToolFaults, readResponseTools, responseToolFields } from './response-tools.ts'
import { readToolHistory } from './tool-history.ts'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))
const format = Type.Union([
  closed({ type: Type.Literal('text') }),
  closed({ type: Type.Literal('json_object') }),
  closed({
    type: Type.Literal('json_schema'),
    name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
    description: Type.Optional(Type.String()),
    schema: jsonObject,
    strict: Type.Optional(Type.Boolean()),
  }),
])

const summary = Type.Optional(
  Type.Enum(['auto', 'concise', 'detailed'], { description: 'Accepted; reasoning is complete, without a summary.' }),
)

/** Optional data of answers. Values about tools that do not exist here have no effect. */
export const responseIncludes = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'web_search_call.action.sources',
  'web_search_call.results',
] as const

/** The body of POST /v1/responses. */
export const responseRequestSchema = closed({
  model: textModelField,
  input: Type.Union([Type.String(), Type.Array(inputItemSchema, { minItems: 1 })], {
    description: 'Text, or items: messages, function_call, function_call_output, reasoning, or item_reference to one of a stored response.',
  }),
  ...optional({
    instructions: Type.String({ description: 'Instructions for the model; not kept for the next response.' }),
    previous_response_id: Type.String({ maxLength: 512, description: 'A stored response whose conversation continues.' }),
    store: Type.Boolean({ default: true, description: 'Whether the response is kept for 24 hours.' }),
    background: Type.Boolean({ default: false, description: 'Whether it runs in the background; poll it by its id.' }),
    stream: Type.Boolean({ default: false, description: 'Whether the answer comes as server-sent events.' }),
    stream_options: closed({ include_obfuscation: Type.Optional(Type.Boolean()) }, { description: 'Accepted; events are never padded.' }),
    max_output_tokens: integerField(1, 2 ** 31 - 1, 'Maximum number of tokens to generate; by default what the context holds.'),
    temperature: numberField(0, 2, 'Randomness.', 1),
    top_p: topFields.top_p,
    top_logprobs: integerField(0, 20, 'Alternatives per token; needs `include` of message.output_text.logprobs.'),
    text: closed(
      { format: Type.Optional(format), verbosity: Type.Optional(Type.Enum(['low', 'medium', 'high'])) },
      { description: '`format`: what the output must look like; `verbosity`: a hint about its length, added to the instructions.' },
    ),
    reasoning: closed(
      {
        effort: Type.Optional(Type.Enum([...reasoningEfforts])),
        summary,
        generate_summary: summary,
        context: Type.Optional(Type.Literal('auto')),
        mode: Type.Optional(Type.Literal('standard')),
      },
      { description: 'How long a reasoning model thinks.' },
    ),
    include: Type.Array(Type.Enum([...responseIncludes]), { maxItems: 8, description: 'Extra data in the answer.' }),
  }),
  ...responseToolFields,
  truncation: Type.Optional(
    Type.Enum(['disabled', 'auto'], {
      default: 'disabled',
      description:
        'Whether a conversation longer than the context is rejected or loses its oldest turns; `auto` is for models that run here.',
    }),
  ),
  metadata: metadataField('Your own notes, kept with the response.'),
  ...adapterFields,
  service_tier: urgencyFields.service_tier,
  user: text('Your identifier of the end user; accepted, not stored.'),
  safety_identifier: text('Accepted, not kept.'),
  prompt_cache_key: text(accepted.keptWarm),
  prompt_cache_retention: text(accepted.keptWarm),
  prompt_cache_options: acceptedFields.prompt_cache_options,
  client_metadata: Type.Optional(Type.Object({}, { description: 'Accepted, not kept.' })),
})

/** A checked body of POST /v1/responses. */
export type ResponseBody = Static<typeof responseRequestSchema>

const checker = createBodyChecker(responseRequestSchema)

/**
 * Reads the body of POST /v1/responses, except for checks that need the previous conversation.
 *
 * @throws {ServiceError} naming every fault at once.
 */
export function parseResponseRequest(received: unknown): ResponseBody {
  const plain = isRecord(received) ? withPlainItems(received) : received
  if (isRecord(plain)) refuseFaults([...findForeignItems(plain.input), ...findForeignResponseTools(plain.tools)], textFaultCodes)
  const body = checker.parse(plain, textFaultCodes)
  refuseFaults([...findResponseToolFaults(body), ...findDeliveryFaults(body), ...findAdapterFaults(body)], textFaultCodes)
  return body
}

/** Moves `additional_tools` to the tools of a body, and converts items of client-run tools to those of functions. */
function withPlainItems(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { input, tools } = body
  if (!Array.isArray(input)) return body
  const added = input.flatMap((item: unknown): readonly unknown[] =>
    isRecord(item) && item.type === 'additional_tools' && Array.isArray(item.tools) ? item.tools : [],
  )
  const items = input.filter((item: unknown) => !isRecord(item) || item.type !== 'additional_tools')
  return { ...body, input: readToolHistory(items), ...(added.length > 0 && { tools: [...(Array.isArray(tools) ? tools : []), ...added] }) }
}

/** The items of a body's input; a text is a message of the user. */
export function inputItems({ input }: Pick<ResponseBody, 'input'>): readonly InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }] : input
}

/**
 * The request of a checked body, after the items of the previous conversation.
 *
 * @param most.tokens The limit when the body has none.
 * @throws {ServiceError} `invalid_request_error` when an output answers no call.
 */
export function readResponseRequest(body: ResponseBody, earlier: readonly InputItem[], most: { readonly tokens: number }): TextRequest {
  const items = inputItems(body)
  const before = readToolHistory(earlier) as readonly InputItem[] // checked before, or written by this service
  refuseFaults(findItemFaults(items, before), textFaultCodes)
  const instructions = [body.instructions, lengthHints[body.text?.verbosity ?? 'medium']].filter((text) => text).join('\n\n')
  const withLogprobs = body.include?.includes('message.output_text.logprobs') === true
  return {
    model: body.model,
    input: {
      type: 'chat',
      messages: readItems(instructions === '' ? body.instructions : instructions, [...before, ...items]),
      ...readResponseTools(body),
      ...(body.reasoning?.effort !== undefined && { effort: body.reasoning.effort }),
      ...(body.truncation === 'auto' && { dropsOldest: true }),
    },
    maxTokens: body.max_output_tokens ?? most.tokens,
    ...(body.max_output_tokens === undefined && { maxTokensIsDefault: true }),
    sampling: readSampling(body),
    stop: [],
    choices: 1,
    topLogprobs: withLogprobs ? (body.top_logprobs ?? 0) : null,
    responseFormat: readFormat(body),
    ...readAdapters(body),
    ...readUrgency(body),
  }
}

const lengthHints = { low: 'Answer as briefly as you can.', medium: '', high: 'Answer in detail.' } as const

function readFormat({ text }: ResponseBody): ResponseFormat {
  const requested = text?.format
  if (requested?.type === 'json_schema') {
    const { type, schema, name, description, strict } = requested
    return { type, schema, field: 'text', name, ...defined({ description, strict }) }
  }
  return { type: requested?.type ?? 'text' }
}

function findDeliveryFaults(body: ResponseBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (body.background === true && body.stream === true)
    faults.push(fieldFault('stream', 'cannot be combined with `background`: poll the response by its id.'))
  if (body.background === true && body.store === false)
    faults.push(fieldFault('store', 'must not be false with `background`: leave it out.'))
  if (body.stream_options !== undefined && body.stream !== true) faults.push(fieldFault('stream_options', 'needs `stream: true`.'))
  if (body.top_logprobs !== undefined && body.include?.includes('message.output_text.logprobs') !== true)
    faults.push(fieldFault('top_logprobs', 'needs `include: ["message.output_text.logprobs"]`; add it, or leave this out.'))
  return faults
}
