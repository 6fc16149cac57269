import Type from 'typebox'
import { ServiceError } from '../../../../core/error.ts'
import type { BodyOf } from '../../../faults/object-schema.ts'
import { metadataField } from '../../metadata-field.ts'
import type { ChatMessageBody } from '../chat-message-schema.ts'

/** Whether the answer is stored, and its metadata. */
export const storingFields = {
  store: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the answer is kept for 24 hours, to be listed and read at this address.' }),
  ),
  metadata: metadataField('Your own notes; they come back with the answer, and kept answers can be listed by them.'),
}

type StoringBody = BodyOf<typeof storingFields> & { readonly messages: readonly ChatMessageBody[] }

/** The storing options of a chat request. */
export interface Storing {
  readonly keep: boolean
  /** The messages as sent. */
  readonly messages: readonly ChatMessageBody[]
  readonly metadata: Readonly<Record<string, string>> | null
}

/** Reads the options; an answer is not stored by default. */
export function readStoring({ store = false, messages, metadata }: StoringBody): Storing {
  return { keep: store, messages, metadata: metadata ?? null }
}

/**
 * Refuses storing options where answers are stored anyway.
 *
 * @param where The place where these fields are not allowed, as the end of a sentence.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function refuseStoring({ keep, metadata }: Storing, where: string): void {
  const param = keep ? 'store' : 'metadata'
  if (keep || metadata !== null) throw new ServiceError('invalid_request_error', `Leave \`${param}\` out of ${where}.`, { param })
}
