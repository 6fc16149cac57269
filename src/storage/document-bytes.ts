import type { Document } from '../core/document.ts'

/** Size of a document: its JSON and search text in UTF-8, plus attached bytes. */
export function documentBytes({ value, text, attachedBytes }: Document): number {
  return Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(text) + attachedBytes
}
