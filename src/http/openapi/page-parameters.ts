import Type from 'typebox'
import { limitSchema } from '../wire/page.ts'
import { type RouteParameter, text } from './documented-route.ts'

/** What lists in OpenAI's shape are walked through by. @param standard The order where none is asked for. */
export function pageParameters(standard: 'asc' | 'desc'): readonly RouteParameter[] {
  return [
    { in: 'query', name: 'after', description: 'The id that the last page ended with.', schema: text },
    { in: 'query', name: 'limit', description: 'Entries per page.', schema: limitSchema },
    {
      in: 'query',
      name: 'order',
      description: '`asc`: oldest first; `desc`: newest first.',
      schema: Type.Enum(['asc', 'desc'], { default: standard }),
    },
  ]
}
