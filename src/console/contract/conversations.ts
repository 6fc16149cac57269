import type { ConversationHead, ListedConversation, Turn } from '../../core/chat/conversation.ts'

/** GET /console/api/conversations?search=…&after=…. */
export interface ConversationPage {
  readonly conversations: readonly ListedConversation[]
  /** What `after` asks for the next page; null = this was the last. */
  readonly next: string | null
}

/** GET /console/api/conversations/:id?version=…&readAt=…; 204 when nothing has changed since. */
export interface OpenedConversation extends ListedConversation {
  /** All versions of all messages; those that have changed where the page names what it knows. */
  readonly turns: readonly Turn[]
  /** Of all messages that there are. */
  readonly turnIds: readonly string[]
  /** One more with each change. */
  readonly version: number
  /** Unix milliseconds. */
  readonly readAt: number
}

/** What may be null may also be left out. */
type NullLeftOut<Fields, Names extends keyof Fields> = Omit<Fields, Names> & { readonly [Name in Names]?: NonNullable<Fields[Name]> }

/** PUT /console/api/conversations/:id. */
export type ConversationUpdate = NullLeftOut<ConversationHead, 'leaf'>

/** PUT /console/api/conversations/:id/turns/:turn. */
export type TurnUpdate = NullLeftOut<Omit<Turn, 'id'>, 'parent' | 'failure' | 'model' | 'facts'>
