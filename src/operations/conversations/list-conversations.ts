import type { ListedConversation } from '../../core/chat/conversation.ts'
import type { StoredDocument } from '../../core/document.ts'
import type { DocumentQuery } from '../../core/ports/document-store.ts'
import { beginning } from '../../core/text/visible-text.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import { archivedLabel, keptLabel, pinnedLabel, readHead, readTurn, removedLabel } from './conversation-documents.ts'

/** Conversations per page of the list. */
const pageSize = 50
const maxPinned = 100
/** Maximum number of messages a search reads. */
const maxFound = 500
/** Characters of an excerpt before and after the match. */
const [excerptBefore, excerptAfter] = [20, 80]

/** One page, and the start of the next; null = the last page. */
export interface ConversationList {
  readonly conversations: readonly ListedConversation[]
  readonly next: { readonly at: number; readonly id: string } | null
}

/**
 * An account's conversations: pinned ones first, then by last change.
 *
 * @param query.archived List archived conversations instead.
 * @param query.search Only those whose title or messages contain this text; one page at most.
 */
export async function listConversations(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  query: {
    readonly accountId: string
    readonly search: string | null
    readonly archived: boolean
    readonly after: ConversationList['next']
  },
  options: Abortable,
): Promise<ConversationList> {
  const { accountId, search, archived, after } = query
  const base: DocumentQuery = { kind: 'conversation', accountId, order: 'newest', after: null, limit: pageSize }
  if (search !== null) return { conversations: await findConversations({ documents }, { accountId, search }, options), next: null }
  const pinned = after === null && !archived ? await documents.list({ ...base, label: pinnedLabel, limit: maxPinned }, options) : []
  const kept = await documents.list({ ...base, label: archived ? archivedLabel : keptLabel, after }, options)
  const last = kept.at(-1)
  return {
    conversations: [...pinned, ...kept].map(readListed),
    next: last === undefined || kept.length < pageSize ? null : { at: last.at, id: last.id },
  }
}

/** A head without the fields that only an open conversation needs. */
function readListed({ found, ...document }: StoredDocument & Pick<ListedConversation, 'found'>): ListedConversation {
  const { settings: _, countsFrom: __, ...listed } = readHead(document)
  return { ...listed, ...(document.label === archivedLabel && { archived: true }), ...(found && { found }) }
}

async function findConversations(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  { accountId, search }: { readonly accountId: string; readonly search: string },
  options: Abortable,
): Promise<readonly ListedConversation[]> {
  const base = { accountId, search, order: 'newest', after: null } as const
  const titled = await documents.list({ ...base, kind: 'conversation', limit: pageSize }, options)
  const said = await documents.list({ ...base, kind: 'turn', limit: maxFound }, options)
  const inMessages = Map.groupBy(said, ({ label }) => label ?? '')
  for (const { id } of titled) inMessages.delete(id)
  const others = await Promise.all(
    [...inMessages].slice(0, pageSize - titled.length).map(async ([id, [newest]]) => {
      const document = await documents.get({ kind: 'conversation', id, accountId }, options)
      return document && { ...document, ...(newest && { found: excerptAround(search, readTurn(newest).content) }) }
    }),
  )
  return [...titled, ...others]
    .flatMap((document) => (document === null || document.label === removedLabel ? [] : readListed(document)))
    .sort((a, b) => b.changedAt - a.changedAt)
}

/** The first place where a text contains what is searched; both are compared in lower case, as the store does. */
function excerptAround(search: string, text: string): ListedConversation['found'] {
  const at = lowerCase(text).indexOf(lowerCase(search))
  if (at < 0) return ['', '', beginning(text, excerptAfter)]
  const end = at + search.length
  // A character has at most two UTF-16 units.
  const before = [...text.slice(Math.max(0, at - 2 * excerptBefore), at)].slice(-excerptBefore).join('')
  return [`${before.length < at ? '…' : ''}${before}`, text.slice(at, end), beginning(text.slice(end), excerptAfter)]
}

/** A text of the same length in lower case: İ is the only character with a longer one. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase()
}
