import { queryFault } from '../../../faults/refuse-faults.ts'
import { type PageQuery, readPageQuery } from '../../page.ts'
import type { StoredChat } from './stored-chat.ts'

/** Which stored chats are wanted. */
export interface StoredChatQuery extends PageQuery {
  /** null = of every model. */
  readonly model: string | null
  readonly fits: (chat: StoredChat) => boolean
}

/** Reads `limit`, `after`, `order`, `model` and `metadata[name]=value`. @throws {ServiceError} `invalid_request_error`. */
export function readStoredChatQuery(query: Readonly<Record<string, unknown>>): StoredChatQuery {
  const { model = null } = query
  if (model !== null && typeof model !== 'string') throw queryFault('model', 'must be given once.')
  const notes = Object.entries(query).flatMap(([name, value]) => {
    const [, note] = /^metadata\[(.*)\]$/s.exec(name) ?? []
    if (note === undefined) return []
    if (typeof value !== 'string') throw queryFault(name, 'must be given once.')
    return [[note, value] as const]
  })
  return {
    ...readPageQuery(query, 'asc'),
    model,
    fits: ({ completion: { metadata } }) => notes.every(([name, value]) => metadata?.[name] === value),
  }
}
