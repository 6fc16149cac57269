import Type from 'typebox'
import { accepted } from '../../accepted.ts'

const name = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))

/** Fields of OpenAI's that change no answer here, and that its clients send all the same; each takes only what is true of every answer. */
export const takenFields = {
  user: Type.Optional(Type.String({ description: 'Your own name for the end user; accepted for compatibility, not kept.' })),
  safety_identifier: name('Accepted for compatibility, not kept.'),
  prompt_cache_key: name(accepted.keptWarm),
  prompt_cache_retention: name(accepted.keptWarm),
  prompt_cache_options: Type.Optional(
    Type.Object(
      { mode: Type.Optional(Type.Literal('implicit')), ttl: Type.Optional(Type.String({ maxLength: 16 })) },
      { additionalProperties: false, description: accepted.keptWarm },
    ),
  ),
  prediction: Type.Optional(
    Type.Object(
      {
        type: Type.Literal('content'),
        content: Type.Union([
          Type.String(),
          Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() }, { additionalProperties: false })),
        ]),
      },
      { additionalProperties: false, description: 'Accepted; a hint for speed, without which the answer is the same.' },
    ),
  ),
  modalities: Type.Optional(Type.Array(Type.Literal('text'), { minItems: 1, maxItems: 1, description: 'Answers are text.' })),
  verbosity: Type.Optional(
    Type.Enum(['low', 'medium', 'high'], {
      description: 'Accepted; models answer as long as they do by themselves: limit with max_tokens.',
    }),
  ),
}
