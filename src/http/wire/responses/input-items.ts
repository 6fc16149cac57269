import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { addressMeaning } from '../chat/fields/picture-address.ts'
import { jsonObject } from '../chat/response-format-field.ts'

const id = Type.Optional(Type.String({ maxLength: 4096 }))
const status = Type.Optional(Type.Enum(['in_progress', 'completed', 'incomplete']))
const callId = Type.String({ minLength: 1, maxLength: 4096 })
/** Fields that OpenAI's client adds to the items it reads, and sends back. */
const readByClient = Type.Optional(Type.Unknown())
const none = Type.Optional(Type.Array(jsonObject))

const inputText = closed({ type: Type.Literal('input_text'), text: Type.String() })
const outputText = closed({
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: none,
  logprobs: none,
  parsed: readByClient,
})
const inputImage = closed({
  type: Type.Literal('input_image'),
  image_url: Type.String({ description: addressMeaning }),
  detail: Type.Optional(Type.Enum(['auto', 'low', 'high'])),
})
const refusal = closed({ type: Type.Literal('refusal'), refusal: Type.String() })

const message = closed({
  type: Type.Optional(Type.Literal('message')),
  role: Type.Enum(['user', 'assistant', 'system', 'developer']),
  content: Type.Union([
    Type.String(),
    Type.Array(Type.Union([inputText, outputText, refusal, inputImage]), {
      description: '`input_image` in user messages, for models that read pictures.',
    }),
  ]),
  id,
  status,
  phase: Type.Optional(Type.String({ maxLength: 64 })),
})
const functionCall = closed({
  type: Type.Literal('function_call'),
  call_id: callId,
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  namespace: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  arguments: Type.String(),
  parsed_arguments: readByClient,
  id,
  status,
})
const functionOutput = closed({
  type: Type.Literal('function_call_output'),
  call_id: callId,
  output: Type.Union([Type.String(), Type.Array(Type.Union([inputText, inputImage]))]),
  id,
  status,
})
const reasoning = closed({
  type: Type.Literal('reasoning'),
  id,
  ...optional({
    summary: Type.Array(closed({ type: Type.Literal('summary_text'), text: Type.String() })),
    content: Type.Array(closed({ type: Type.Literal('reasoning_text'), text: Type.String() })),
    encrypted_content: Type.String(),
  }),
  status,
})

/** One item of a conversation in the format of OpenAI's Responses. */
export const inputItemSchema = Type.Union([message, functionCall, functionOutput, reasoning])

export type InputItem = Static<typeof inputItemSchema>
export type MessageItem = Static<typeof message>
export type FunctionCallItem = Static<typeof functionCall>
export type OutputItem = Static<typeof functionOutput>
export type ReasoningItem = Static<typeof reasoning>

const kinds: readonly string[] = ['message', 'function_call', 'function_call_output', 'reasoning']
const texts: readonly unknown[] = ['input_text', 'output_text', 'refusal']

/** Finds items and parts that models here cannot read: files, results of built-in tools, and references to items. */
export function findForeignItems(input: unknown): readonly FieldFault[] {
  if (!Array.isArray(input)) return []
  return input.flatMap((item: unknown, index): readonly FieldFault[] => {
    if (!isRecord(item)) return []
    const path = ['input', index]
    const { type = 'message' } = item
    if (typeof type !== 'string') return []
    if (!kinds.includes(type)) return [foreign(path, type)]
    if (type === 'reasoning') return []
    return [
      ...findParts(item.content, [...path, 'content'], [...texts, 'input_image']),
      ...findParts(item.output, [...path, 'output'], [...texts, 'input_image']),
    ]
  })
}

function findParts(content: unknown, path: FieldFault['path'], known: readonly unknown[]): readonly FieldFault[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown, index) =>
    isRecord(part) && typeof part.type === 'string' && !known.includes(part.type) ? [foreign([...path, index], part.type)] : [],
  )
}

function foreign(path: FieldFault['path'], type: string): FieldFault {
  return fieldFault(path, `is of the type ${shortName(type)}, which models here cannot read: send text.`, 'unsupported_parameter')
}
