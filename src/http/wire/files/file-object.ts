import Type from 'typebox'
import { type StoredFile, uploadPurposes } from '../../../core/files/stored-file.ts'
import type { Answer } from '../answer.ts'

/** A file in OpenAI's format. */
export const fileObjectSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Type.Integer(),
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  expires_at: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds; null = when it is deleted.' }),
  filename: Type.String(),
  purpose: Type.Enum([...uploadPurposes, 'batch_output']),
  status: Type.Literal('processed'),
  status_details: Type.Null(),
})

/** The answer to a deletion. */
export const fileDeletedSchema = Type.Object({ id: Type.String(), object: Type.Literal('file'), deleted: Type.Literal(true) })

/** Encodes a file. */
export function encodeFile({ id, bytes, createdAt, expiresAt, name, purpose }: StoredFile): Answer<typeof fileObjectSchema> {
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdAt / 1000),
    expires_at: expiresAt === null ? null : Math.floor(expiresAt / 1000),
    filename: name,
    purpose,
    status: 'processed',
    status_details: null,
  }
}
