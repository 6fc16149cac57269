import Type from 'typebox'
import { type RouteParameter, text } from './documented-route.ts'

/** What lists in OpenAI's shape are walked through by. */
export const pageParameters: readonly RouteParameter[] = [
  { in: 'query', name: 'after', description: 'The id that the last page ended with.', schema: text },
  { in: 'query', name: 'limit', description: 'Entries per page.', schema: Type.Integer({ minimum: 1, maximum: 100, default: 20 }) },
  { in: 'query', name: 'order', description: 'By when they were made.', schema: Type.Enum(['asc', 'desc'], { default: 'desc' }) },
]
