import type { JsonValue } from './json-value.ts'

/** Everything that is kept as documents; the name says which feature reads them. */
export const documentKinds = [
  'response',
  'chat-completion',
  'file',
  'batch',
  'conversation',
  'turn',
  'preset',
  'asset',
  'picture',
  'thumbnail',
  'request-body',
  'request-log',
  'service-key',
  'deleted-account',
  'sign-in-identity',
  'second-factor',
  'passkey',
  'used-challenge',
  'image-default',
] as const
export type DocumentKind = (typeof documentKinds)[number]

/** One thing that an account keeps: JSON under a name, with what lists are ordered, filtered and searched by. */
export interface Document {
  readonly kind: DocumentKind
  /** Unique among the documents of its kind across all accounts; 1 to 128 characters. */
  readonly id: string
  readonly accountId: string
  readonly value: JsonValue
  /** What lists are ordered by, in Unix milliseconds: when it was made, or last changed, as its kind likes. */
  readonly at: number
  /** A word that lists can be filtered by, such as a state; null = none. */
  readonly label: string | null
  /** What a search finds it by, whatever the case. */
  readonly text: string
  /** Bytes kept elsewhere for it, an uploaded file's for one. */
  readonly attachedBytes: number
  /** Unix milliseconds from which on it is gone; null = never. */
  readonly expiresAt: number | null
}

/** A document as the store gives it back: without the text, which is only searched. */
export interface StoredDocument extends Omit<Document, 'text'> {
  /** 1 when made, one more with each change. */
  readonly version: number
  /** Of its JSON, its text and what is attached. */
  readonly bytes: number
}
