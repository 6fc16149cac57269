import type { ConversationHead, ListedConversation, Turn } from '../../core/chat/conversation.ts'

/** GET /console/api/conversations?search=…&after=…. */
export interface ConversationPage {
  readonly conversations: readonly ListedConversation[]
  /** The value of `after` for the next page; null = last page. */
  readonly next: string | null
}

/** GET /console/api/conversations/:id/versions?known=…; 204 when nothing has changed since that version. */
export interface ConversationVersions extends ListedConversation {
  /** Increases by one with each change. */
  readonly version: number
  /** The version of each message by id; increases by one with each change. */
  readonly versions: Readonly<Record<string, number>>
}

/** GET /console/api/conversations/:id. */
export interface OpenedConversation extends ConversationVersions {
  /** All versions of all messages. */
  readonly turns: readonly Turn[]
}

/** GET /console/api/conversations/:id/turns?ids=…,…; deleted ones are omitted. */
export type ReadTurns = Pick<OpenedConversation, 'turns' | 'versions'>

/** Nullable fields are also optional. */
type NullLeftOut<Fields, Names extends keyof Fields> = Omit<Fields, Names> & { readonly [Name in Names]?: NonNullable<Fields[Name]> }

/** PUT /console/api/conversations/:id. Absent fields and null stay as they are; `countsFrom` belongs to `settings`. */
export type ConversationUpdate = Partial<ConversationHead>

/** PUT /console/api/conversations/:id/turns/:turn. */
export type TurnUpdate = NullLeftOut<Omit<Turn, 'id'>, 'parent' | 'failure' | 'model' | 'facts'>
