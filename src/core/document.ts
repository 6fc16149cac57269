import type { OutputReference } from './inference.ts'
import type { JsonValue } from './json-value.ts'

/** Kinds of documents; each is named after the feature that reads it. */
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

/** One stored item of an account: JSON under an id, with the fields by which lists are sorted, filtered and searched. */
export interface Document {
  readonly kind: DocumentKind
  /** Unique among the documents of its kind across all accounts; 1 to 128 characters. */
  readonly id: string
  readonly accountId: string
  readonly value: JsonValue
  /** Sort key of lists, in Unix milliseconds: time of creation or of the last change, depending on the kind. */
  readonly at: number
  /** A word for filtering lists, such as a state; null = none. */
  readonly label: string | null
  /** Text for searching, case-insensitive. */
  readonly text: string
  /** Bytes stored elsewhere for this document, such as those of an uploaded file. */
  readonly attachedBytes: number
  /** Expiry in Unix milliseconds; null = never. */
  readonly expiresAt: number | null
}

/** The fields of a document that is not filtered, searched, attached to files, or removed after some time. */
export const plainDocument = { label: null, text: '', attachedBytes: 0, expiresAt: null } as const satisfies Partial<Document>

/** A document as returned by the store: without the search text. */
export interface StoredDocument extends Omit<Document, 'text'> {
  /** 1 at first; each change adds one. */
  readonly version: number
  /** Total of its JSON, its search text and attached bytes. */
  readonly bytes: number
}

/** Kinds with bytes in the output store: uploads, kept pictures, thumbnails and bodies of the request log. */
export const attachingKinds = ['file', 'picture', 'thumbnail', 'request-body'] as const satisfies readonly DocumentKind[]

/** The bytes of a document in the output store; they are deleted after it. */
export function attachedFiles({ kind, value }: Pick<Document, 'kind' | 'value'>): readonly OutputReference[] {
  if (!attachingKinds.some((each) => each === kind)) return []
  // Marks of hidden pictures and small bodies have no file.
  const { parts, file } = value as { readonly parts?: readonly OutputReference[]; readonly file?: OutputReference | null }
  return parts ?? (file ? [file] : [])
}
