import type { ToolCall } from '../text-generation.ts'
import type { ChatParameters } from './preset.ts'

/** States of an answer in a stored conversation. */
export const turnStates = ['writing', 'done', 'stopped', 'cut', 'failed'] as const
export type TurnState = (typeof turnStates)[number]

/** Maximum characters of a message, of an attached file, and of a function's result. */
export const longestContent = 2_000_000

/** Maximum characters of a conversation's name; stored ones of earlier versions may be longer. */
export const longestTitle = 160
/** Maximum characters of the name of a file or picture. */
export const longestFileName = 255
/** Maximum characters of a model's name in a message. */
export const longestModelName = 128
/** Maximum characters of the id of a function call. */
export const longestCallId = 256
/** Maximum characters of a function's name. */
export const longestCallName = 64
/** Maximum number of function calls per message. */
export const maxCalls = 128

/** Maximum number of text files per message. */
export const maxFiles = 16
/** Maximum number of pictures per message. */
export const maxPictures = 8
/** Maximum characters of a picture's data URL: 3 MB of image data. */
export const longestPicture = 4_000_000
/** Regular expression for a picture's data URL. */
export const picturePattern = '^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$'

/** Maximum number of messages read by id in one call. */
export const maxTurnsAtOnce = 20

/** Token counts and times of an answer. */
export interface TurnFacts {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Milliseconds from sending to the first text. */
  readonly firstTextMs: number
  /** Milliseconds from the first text to the last. */
  readonly writingMs: number
}

/** A text file sent with a message, as the model read it. */
export interface AttachedText {
  readonly name: string
  readonly text: string
}

/** A picture sent with a message, as the model saw it. */
export interface AttachedPicture {
  readonly name: string
  /** A `data:` URL of PNG, JPEG, WebP or GIF in base64. */
  readonly url: string
}

/** A function call of the model and the result entered by the user; no result = not entered yet. */
export interface RecordedCall extends ToolCall {
  readonly result?: string
}

/** One message of a stored conversation. Versions of a message share their parent. */
export interface Turn {
  readonly id: string
  /** Id of the message before it; null = the first. */
  readonly parent: string | null
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly files: readonly AttachedText[]
  /** Attached pictures; absent = none. */
  readonly pictures?: readonly AttachedPicture[]
  readonly state: TurnState
  /** Why it failed, as a sentence. */
  readonly failure: string | null
  /** Language of `failure` as an HTML `lang` value; absent = unknown. */
  readonly failureLanguage?: string
  /** Id of the asynchronous request that writes or wrote the answer; absent = none. */
  readonly inference?: string
  /** Request id of the failed request in the service's log; absent = none, or there was no response. */
  readonly requestId?: string
  /** Cause of the failure, shown to owners; absent = unknown. */
  readonly cause?: string
  /** The model that wrote it. */
  readonly model: string | null
  readonly facts: TurnFacts | null
  /** Reasoning before the answer; absent = none. */
  readonly thoughts?: string
  /** Function calls of the answer; absent = none. */
  readonly calls?: readonly RecordedCall[]
  /** Places where the answer violates the requested JSON schema; absent = no schema. */
  readonly schemaFaults?: readonly string[]
  /** Unix milliseconds. */
  readonly at: number
}

/**
 * The facts of a continued answer: the prompt and the time to the first text of its first part, and the tokens and writing time of all
 * parts. The text of a part without counts is counted with the prompt.
 */
export function continuedFacts(begun: TurnFacts | null, facts: TurnFacts): TurnFacts {
  if (begun === null) return facts
  return {
    // A stopped request has no counts.
    promptTokens: Math.max(begun.promptTokens, facts.promptTokens - begun.completionTokens),
    completionTokens: begun.completionTokens + facts.completionTokens,
    firstTextMs: begun.firstTextMs,
    writingMs: begun.writingMs + facts.writingMs,
  }
}

/** The place in a conversation of an answer written by an asynchronous request. */
export interface AnswerPlace {
  readonly conversation: string
  readonly turn: string
  /** Id of the message before it. */
  readonly parent: string | null
}

/** Settings for the next answer of a conversation. */
export interface ConversationSettings {
  readonly model: string
  readonly parameters: ChatParameters
  /** The preset the parameters come from; absent = none. */
  readonly preset?: string
}

/** Title, settings and current position of a conversation. */
export interface ConversationHead {
  readonly title: string
  readonly pinned: boolean
  /** Last message of the shown version; null = no messages yet. */
  readonly leaf: string | null
  /** Absent = not set yet. */
  readonly settings?: ConversationSettings
  /** The first message that models read; absent = they read all. */
  readonly countsFrom?: string
}

/** A conversation as listed. */
export interface ListedConversation extends ConversationHead {
  readonly id: string
  /** Unix milliseconds of the last change. */
  readonly changedAt: number
  /** Absent = no. */
  readonly archived?: true
  /** The part of a message that a search found, with the text before and after it; absent = the title was found. */
  readonly found?: readonly [before: string, match: string, after: string]
}
