import Type, { type TUnsafe } from 'typebox'
import type { ChatParameters } from '../core/chat/preset.ts'
import { largestLoraWeight, maxLoras } from '../core/images/lora.ts'

const text = Type.String({ maxLength: 100_000 })
const lora = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 256 }), weight: Type.Number({ minimum: -largestLoraWeight, maximum: largestLoraWeight }) },
  { additionalProperties: false },
)
const amount = Type.Number({ minimum: -1e9, maximum: 1e9 })

/** The parameters of a chat as a schema. */
export const chatParameters: TUnsafe<ChatParameters> = Type.Unsafe<ChatParameters>(
  Type.Object(
    {
      system: text,
      maxTokens: amount,
      limited: Type.Optional(Type.Boolean()),
      temperature: amount,
      topP: amount,
      topK: amount,
      minP: amount,
      frequencyPenalty: amount,
      presencePenalty: amount,
      repetitionPenalty: amount,
      seed: Type.String({ maxLength: 40 }),
      stop: Type.String({ maxLength: 4000 }),
      format: Type.Enum(['text', 'json', 'schema']),
      schema: text,
      tools: text,
      toolChoice: Type.Enum(['auto', 'required']),
      loras: Type.Optional(Type.Array(lora, { maxItems: maxLoras })),
    },
    { additionalProperties: false },
  ),
)
