import Type from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { type FilePurpose, type StoredFile, uploadPurposes } from '../../../core/files/stored-file.ts'
import { dayMs } from '../../../core/ports/clock.ts'
import { beginning } from '../../../core/text/visible-text.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import { readFormFields } from '../forms/read-form-fields.ts'

/** OpenAI's lifetime of batch input. */
const batchLifetimeMs = 30 * dayMs

/** The lifetime of a file, in OpenAI's format. */
export const expiresAfterField = closed({
  anchor: Type.Enum(['created_at'], { description: 'From when on.' }),
  seconds: integerField(3600, 2_592_000, 'For so long.'),
})

/** The form of POST /v1/files. */
export const fileRequestSchema = closed({
  file: Type.Optional(Type.String({ contentMediaType: 'application/octet-stream', description: 'The file, at most 200 MB; exactly one.' })),
  purpose: Type.Enum(uploadPurposes, {
    description: '`batch`: JSON lines for POST /v1/batches. Files for other purposes are only stored and returned.',
  }),
  expires_after: Type.Optional(expiresAfterField),
})

const checker = createBodyChecker(fileRequestSchema)

/**
 * Reads the fields of POST /v1/files.
 *
 * @throws {ServiceError} naming every fault at once.
 */
export function parseFileRequest(fields: ReadonlyMap<string, readonly string[]>): {
  readonly purpose: FilePurpose
  readonly lifetimeMs: number | null
} {
  const { purpose, expires_after } = checker.parse(readFormFields(fileRequestSchema, fields, textFaultCodes), textFaultCodes)
  if (expires_after !== undefined) return { purpose, lifetimeMs: expires_after.seconds * 1000 }
  return { purpose, lifetimeMs: purpose === 'batch' ? batchLifetimeMs : null }
}

/** A file's name for storage: the client's name without folders and invisible characters. */
export function readFileName(name: string): string {
  const plain = (name.split(/[\\/]/).pop() ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return beginning(plain.slice(0, 510), 255) || 'file'
}

/** The error for a form without a file or with wrong ones. */
export function fileFault(text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`file\` ${text}`, { param: 'file' })
}

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
