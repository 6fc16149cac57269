import { type Document, documentKinds, type StoredDocument } from '../../core/document.ts'
import type { JsonValue } from '../../core/json-value.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull, type Values } from './row.ts'

/** A row of `documents`. */
export function readDocument(row: Row): StoredDocument {
  return {
    kind: readOneOf(row, 'kind', documentKinds),
    id: readText(row, 'id'),
    accountId: readText(row, 'account_id'),
    value: JSON.parse(readText(row, 'value')) as JsonValue,
    at: readInteger(row, 'at'),
    label: readTextOrNull(row, 'label'),
    attachedBytes: readInteger(row, 'attached_bytes'),
    expiresAt: readIntegerOrNull(row, 'expires_at'),
    version: readInteger(row, 'version'),
    bytes: readInteger(row, 'bytes'),
  }
}

/** Rows of `documents` with only ids and versions. */
export function readVersions(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(rows.map((row) => [readText(row, 'id'), readInteger(row, 'version')]))
}

/** Parameters for writing a document's row; its search text is stored in lower case. */
export function documentParameters(
  { kind, id, accountId, value, at, label, text, attachedBytes, expiresAt }: Document,
  { version, bytes }: { readonly version: number; readonly bytes: number },
): Values {
  const fields = { kind, id, accountId, at, label, attachedBytes, expiresAt, version, bytes }
  return { ...fields, value: JSON.stringify(value), text: text.toLowerCase() }
}

/** Size of a document: its JSON and search text in UTF-8, plus attached bytes. */
export function documentBytes({ value, text, attachedBytes }: Document): number {
  return Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(text) + attachedBytes
}
