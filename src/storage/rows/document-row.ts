import { documentKinds, type StoredDocument } from '../../core/document.ts'
import type { JsonValue } from '../../core/text-generation.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

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
