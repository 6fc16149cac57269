import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { unreadable } from '../chat/content-parts.ts'
import { addressMeaning, detailField } from '../chat/fields/picture-address.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { ignoredFields, ignoredMarks } from '../ignored-fields.ts'

const id = Type.Optional(Type.String({ maxLength: 4096 }))
const status = Type.Optional(Type.Enum(['in_progress', 'completed', 'incomplete']))
const callId = Type.String({ minLength: 1, maxLength: 4096 })
const none = Type.Optional(Type.Array(jsonObject))

const inputText = closed({ type: Type.Literal('input_text'), text: Type.String(), ...ignoredMarks })
/** As in chats. */
const plainText = closed({ type: Type.Literal('text'), text: Type.String(), ...ignoredMarks })
const outputText = closed({
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: none,
  logprobs: none,
  // OpenAI's client adds fields to the items it reads, and sends them back.
  ...ignoredFields('parsed'),
  ...ignoredMarks,
})
const inputImage = closed({
  type: Type.Literal('input_image'),
  image_url: Type.String({ description: addressMeaning }),
  detail: detailField,
  ...ignoredMarks,
})
const refusal = closed({ type: Type.Literal('refusal'), refusal: Type.String() })

const message = closed({
  type: Type.Optional(Type.Literal('message')),
  role: Type.Enum(['user', 'assistant', 'system', 'developer']),
  content: Type.Union([
    Type.String(),
    Type.Array(Type.Union([inputText, outputText, plainText, refusal, inputImage]), {
      description: '`input_image` in user messages, for models that read images.',
    }),
  ]),
  id,
  status,
  phase: Type.Optional(Type.String({ maxLength: 64 })),
  ...ignoredFields('parsed'),
  ...ignoredMarks,
})
const functionCall = closed({
  type: Type.Literal('function_call'),
  call_id: callId,
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  namespace: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  arguments: Type.String(),
  id,
  status,
  ...ignoredFields('parsed_arguments', 'async', 'caller', 'created_by'),
  ...ignoredMarks,
})
const functionOutput = closed({
  type: Type.Literal('function_call_output'),
  call_id: callId,
  output: Type.Union([Type.String(), Type.Array(Type.Union([inputText, outputText, plainText, inputImage]))]),
  id,
  status,
  ...ignoredFields('name', 'namespace', 'caller', 'created_by'),
  ...ignoredMarks,
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
const texts: readonly unknown[] = ['input_text', 'output_text', 'text', 'refusal']

/** Finds items and parts that models here cannot read: files, results of built-in tools, and references to items. */
export function findForeignItems(input: unknown): readonly FieldFault[] {
  if (!Array.isArray(input)) return []
  return input.flatMap((item: unknown, index): readonly FieldFault[] => {
    if (!isRecord(item)) return []
    const path = ['input', index]
    const { type = 'message' } = item
    if (typeof type !== 'string') return []
    if (!kinds.includes(type)) return [unreadable(path, type)]
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
    isRecord(part) && typeof part.type === 'string' && !known.includes(part.type) ? [unreadable([...path, index], part.type)] : [],
  )
}
