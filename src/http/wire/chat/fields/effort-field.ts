import Type from 'typebox'
import { reasoningEfforts } from '../../../../core/text-generation.ts'

/** How long a model that thinks is to think. */
export const effortField = Type.Optional(
  Type.Enum([...reasoningEfforts], {
    description: 'How long a model that thinks does so before it answers; its thoughts come as `reasoning_content`.',
  }),
)
