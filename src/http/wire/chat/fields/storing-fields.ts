import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../../core/error.ts'
import { metadataField } from '../../metadata-field.ts'
import type { ChatMessageBody } from '../chat-message-schema.ts'

/** Whether the answer is kept, and what is noted with it. */
export const storingFields = {
  store: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the answer is kept for 24 hours, to be listed and read at this address.' }),
  ),
  metadata: metadataField('Your own notes; they come back with the answer, and kept answers can be listed by them.'),
}

const example = Type.Object(storingFields)
type StoringBody = Static<typeof example> & { readonly messages: readonly ChatMessageBody[] }

/** What a chat request says of keeping its answer. */
export interface Storing {
  readonly keep: boolean
  /** As they were sent. */
  readonly messages: readonly ChatMessageBody[]
  readonly metadata: Readonly<Record<string, string>> | null
}

/** Nothing is kept by default. */
export function readStoring({ store = false, messages, metadata }: StoringBody): Storing {
  return { keep: store, messages, metadata: metadata ?? null }
}

/**
 * Refuses to keep what nobody is waiting for.
 *
 * @param where What such fields are to be left out of, as the end of a sentence.
 * @throws {ServiceError} `invalid_request_error`.
 */
export function refuseStoring({ keep, metadata }: Storing, where: string): void {
  const param = keep ? 'store' : 'metadata'
  if (keep || metadata !== null) throw new ServiceError('invalid_request_error', `Leave \`${param}\` out of ${where}.`, { param })
}
