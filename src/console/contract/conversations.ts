import type { ConversationHead, ListedConversation, Turn } from '../../core/chat/conversation.ts'

/** GET /console/api/conversations?search=…&after=…. */
export interface ConversationPage {
  readonly conversations: readonly ListedConversation[]
  /** What `after` asks for the next page; null = this was the last. */
  readonly next: string | null
}

/** GET /console/api/conversations/:id/versions?known=…; 204 when nothing has changed since that version. */
export interface ConversationVersions extends ListedConversation {
  /** Version; increases by one with each change. */
  readonly version: number
  /** Of each message that there is, by its id: one more with each change. */
  readonly versions: Readonly<Record<string, number>>
}

/** GET /console/api/conversations/:id. */
export interface OpenedConversation extends ConversationVersions {
  /** All versions of all messages. */
  readonly turns: readonly Turn[]
}

/** GET /console/api/conversations/:id/turns?ids=…,…; those that are gone are left out. */
export type ReadTurns = Pick<OpenedConversation, 'turns' | 'versions'>

/** What may be null may also be left out. */
type NullLeftOut<Fields, Names extends keyof Fields> = Omit<Fields, Names> & { readonly [Name in Names]?: NonNullable<Fields[Name]> }

/** PUT /console/api/conversations/:id. */
export type ConversationUpdate = NullLeftOut<ConversationHead, 'leaf'>

/** PUT /console/api/conversations/:id/turns/:turn. */
export type TurnUpdate = NullLeftOut<Omit<Turn, 'id'>, 'parent' | 'failure' | 'model' | 'facts'>
