import type { ToolCall } from '../text-generation.ts'
import type { ChatParameters } from './preset.ts'

/** How an answer of a kept conversation stands. */
export const turnStates = ['writing', 'done', 'stopped', 'cut', 'failed'] as const
export type TurnState = (typeof turnStates)[number]

/** Characters of a message, of a file with it, and of a function's result that are kept at most. */
export const longestContent = 2_000_000

/** Text files that go along with a message at most. */
export const mostFiles = 16
/** Pictures that go along with a message at most. */
export const mostPictures = 8
/** Characters of a picture's address at most: 3 MB of the picture itself. */
export const longestPicture = 4_000_000
/** The form of a picture's address, as a regular expression. */
export const picturePattern = '^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$'

/** Messages of a conversation that a page reads by their ids at once. */
export const mostTurnsAtOnce = 20

/** What an answer took. */
export interface TurnFacts {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Milliseconds from sending to the first text. */
  readonly firstTextMs: number
  /** Milliseconds from the first text to the last. */
  readonly writingMs: number
}

/** A file that was sent with a message, as the model read it. */
export interface AttachedText {
  readonly name: string
  readonly text: string
}

/** A picture that was sent with a message, as the model saw it. */
export interface AttachedPicture {
  readonly name: string
  /** The picture itself, as a `data:` address of PNG, JPEG, WebP or GIF in base64. */
  readonly url: string
}

/** A function that the model asks to have called, and what a person says that it came to; without a result nobody has said it yet. */
export interface RecordedCall extends ToolCall {
  readonly result?: string
}

/** One message of a kept conversation. Versions of a message follow the same one. */
export interface Turn {
  readonly id: string
  /** The message that it follows; null = it begins the conversation. */
  readonly parent: string | null
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly files: readonly AttachedText[]
  /** Pictures that were sent with it; absent = none. */
  readonly pictures?: readonly AttachedPicture[]
  readonly state: TurnState
  /** Why it failed, as a sentence. */
  readonly failure: string | null
  /** The language of `failure`, as HTML names it; absent = nobody knows. */
  readonly failureLanguage?: string
  /** The asynchronous request that writes the answer, or wrote it; absent = none did. */
  readonly inference?: string
  /** By which the service's log knows the request that failed; absent = none did, or there was no answer. */
  readonly requestId?: string
  /** Why it failed, as shown to owners; absent = unknown. */
  readonly cause?: string
  /** The model that wrote it. */
  readonly model: string | null
  readonly facts: TurnFacts | null
  /** What the model thought before it answered; absent = nothing. */
  readonly thoughts?: string
  /** The functions it asks to have called; absent = none. */
  readonly calls?: readonly RecordedCall[]
  /** Where the answer does not fit the JSON schema that it was asked for with; absent = there was no schema. */
  readonly schemaFaults?: readonly string[]
  /** Unix milliseconds. */
  readonly at: number
}

/** Where in a conversation an answer belongs that an asynchronous request writes. */
export interface AnswerPlace {
  readonly conversation: string
  readonly turn: string
  /** The message that it follows. */
  readonly parent: string | null
}

/** How the next answer of a conversation is asked for. */
export interface ConversationSettings {
  readonly model: string
  readonly parameters: ChatParameters
  /** The preset that the parameters come from; absent = none. */
  readonly preset?: string
}

/** What a conversation is called, how it is gone on with, and where one left it. */
export interface ConversationHead {
  readonly title: string
  readonly pinned: boolean
  /** The last message of the version that is shown; null = nothing was said. */
  readonly leaf: string | null
  /** Absent = nobody has said yet. */
  readonly settings?: ConversationSettings
  /** The message from which on models read it; absent = they read all. */
  readonly countsFrom?: string
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationHead {
  readonly id: string
  /** Unix milliseconds of the last change. */
  readonly changedAt: number
}
