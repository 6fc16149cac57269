import Type, { type Static } from 'typebox'
import { contentPartSchema } from './content-parts.ts'

const toolCall = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256 }),
    /** As the pieces of a stream have it, which many send back as they came. */
    index: Type.Optional(Type.Integer({ minimum: 0 })),
    type: Type.Literal('function'),
    function: Type.Object(
      { name: Type.String({ minLength: 1, maxLength: 64 }), arguments: Type.String() },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

/** Our own answers carry `function_call: null`, others these too; sent back, they mean nothing. */
const foreignFields = {
  function_call: Type.Optional(Type.Null()),
  refusal: Type.Optional(Type.Null()),
  audio: Type.Optional(Type.Null()),
}

/** One message of a conversation. */
export const chatMessageSchema = Type.Object(
  {
    role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool'], { description: '`developer` is read as `system`.' }),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(contentPartSchema, { minItems: 1 })], {
        description: 'Text, or a list of parts: text, and pictures for models that look at them.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Who says it; templates that know of names write it, others leave it out.',
      }),
    ),
    tool_calls: Type.Optional(Type.Array(toolCall, { maxItems: 128, description: 'Only on assistant messages; an empty list is none.' })),
    tool_call_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only on tool messages: the call it answers.' })),
    reasoning_content: Type.Optional(
      Type.String({ description: 'Only on assistant messages: what the model thought before, for templates that want it back.' }),
    ),
    ...foreignFields,
  },
  { additionalProperties: false },
)

export type ChatMessageBody = Static<typeof chatMessageSchema>
