import Type, { type Static } from 'typebox'
import { closed, optional } from '../../faults/object-schema.ts'
import { ignoredFields, ignoredMarks } from '../ignored-fields.ts'
import { contentPartSchema } from './content-parts.ts'
import { jsonObject } from './response-format-field.ts'

/** The id of a call, in any server's format; an empty id counts as absent. */
const callId = Type.String({ maxLength: 4096 })

const calledFunction = closed({
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  arguments: Type.Optional(Type.Union([Type.String(), jsonObject])),
  ...ignoredFields('parsed_arguments', 'description', 'thought_signature'),
})

const toolCall = closed({
  ...optional({
    id: callId,
    /** Present in stream chunks, which many clients send back unchanged. */
    index: Type.Integer({ minimum: 0 }),
    type: Type.Enum(['function', 'custom']),
    function: calledFunction,
    custom: closed({ name: Type.String({ minLength: 1, maxLength: 1024 }), input: Type.String() }),
  }),
  ...ignoredMarks,
  ...ignoredFields('caller', 'thought_signature'),
})

/** One message of a conversation. */
export const chatMessageSchema = closed({
  role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
    description: '`developer` is read as `system`, `function` as `tool`.',
  }),
  ...optional({
    content: Type.Union([Type.String(), Type.Array(contentPartSchema)], {
      description: 'Text, or a list of parts: text, and images for models that read them.',
    }),
    name: Type.String({ maxLength: 1024, description: 'Name of the speaker; only some templates use it.' }),
    tool_calls: Type.Array(toolCall, { maxItems: 256, description: 'Only on assistant messages; an empty list counts as absent.' }),
    function_call: { ...calledFunction, description: "The only call of an assistant message, in OpenAI's older format." },
    tool_call_id: {
      ...callId,
      description: 'Only on tool messages: the call it answers; by default the first one without an answer.',
    },
    reasoning_content: Type.String({ description: 'Only on assistant messages: earlier reasoning, for templates that use it.' }),
    reasoning: Type.String({ description: "vLLM's name for `reasoning_content`." }),
    refusal: Type.String({ description: 'The refusal to answer; read as text.' }),
    prefix: Type.Boolean({ description: 'Whether the answer continues this last message; true by default.' }),
    audio: Type.Null(),
  }),
  ...ignoredMarks,
  ...ignoredFields('annotations', 'id', 'timestamp', 'parsed', 'reasoning_details', 'thinking_blocks', 'is_error', 'partial'),
})

export type ChatMessageBody = Static<typeof chatMessageSchema>
