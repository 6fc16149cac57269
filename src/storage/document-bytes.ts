import type { Document } from '../core/document.ts'

/** What a document takes: its JSON and its text in UTF-8, and what is attached. */
export function documentBytes({ value, text, attachedBytes }: Document): number {
  return Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(text) + attachedBytes
}
