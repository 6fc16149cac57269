import Type from 'typebox'
import type { ListedModel } from '../../../operations/list-models.ts'
import { nullable } from '../../faults/object-schema.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import { readPageLimit } from '../page.ts'

const maxPerPage = 1000

/** A model in Anthropic's format. */
export const messageModelSchema = Type.Object({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String({ description: 'RFC 3339.' }),
  lifecycle: Type.Literal('active'),
  max_input_tokens: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Tokens of prompt and answer together; null = not known yet.',
  }),
  max_tokens: Type.Union([Type.Integer(), Type.Null()], { description: 'The same: an answer may fill the rest of the context.' }),
  capabilities: Type.Null(),
  deprecated_at: Type.Null(),
  line: Type.Null(),
  retires_at: Type.Null(),
})

const id = nullable(Type.String())

/** Answer of GET /v1/models to Anthropic's clients: one page. */
export const messageModelListSchema = Type.Object({
  data: Type.Array(messageModelSchema),
  has_more: Type.Boolean(),
  first_id: id,
  last_id: id,
})

/** Encodes a model in that format. */
export function encodeMessageModel({ descriptor, contextLength }: ListedModel): Answer<typeof messageModelSchema> {
  return {
    type: 'model',
    id: descriptor.id,
    display_name: descriptor.name,
    created_at: new Date(descriptor.created * 1000).toISOString(),
    lifecycle: 'active',
    max_input_tokens: contextLength,
    max_tokens: contextLength,
    capabilities: null,
    deprecated_at: null,
    line: null,
    retires_at: null,
  }
}

/**
 * One page of the models that answer messages.
 *
 * @throws {ServiceError} `invalid_request_error` for a limit out of range and an unknown id.
 */
export function encodeMessageModels(
  models: readonly ListedModel[],
  query: Readonly<Record<string, unknown>>,
): Answer<typeof messageModelListSchema> {
  const answering = models.filter(({ descriptor }) => descriptor.kind === 'text' && descriptor.generates !== false)
  const { after_id: after, before_id: before } = query
  const most = readPageLimit(query.limit, maxPerPage)
  if (after !== undefined && before !== undefined) throw queryFault('before_id', 'contradicts `after_id`; send one of them.')
  const placeOf = (field: string, id: unknown): number => {
    const place = answering.findIndex(({ descriptor }) => descriptor.id === id)
    if (place < 0) throw queryFault(field, 'must be the id of a model from another page.')
    return place
  }
  const start = after === undefined ? 0 : placeOf('after_id', after) + 1
  const end = before === undefined ? answering.length : placeOf('before_id', before)
  const from = before === undefined ? start : Math.max(0, end - most)
  const page = answering.slice(from, Math.min(end, from + most)).map(encodeMessageModel)
  return {
    data: page,
    has_more: before === undefined ? from + most < end : from > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}
