import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../core/access-token.ts'
import type { TextPart } from '../../core/text-generation.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { isLate } from './early-events.ts'
import { fromFirst } from './first-part.ts'
import { sendEvents } from './send-events.ts'

/** The streaming format of an interface. */
export interface StreamEncoding {
  /** @param isEarly Whether the first event is sent before the first part exists. */
  readonly encode: (parts: AsyncIterable<TextPart>, options: { readonly isEarly: boolean }) => AsyncGenerator<string, void, undefined>
  /** Sent after ten seconds of silence; null = nothing. */
  readonly ping: string | null
  /** Absent = server-sent events. */
  readonly contentType?: string
}

/**
 * Answers with a generation as events, on one of the account's places. What fails before its first part is answered with its own status; after five seconds
 * without a part the stream begins, and what fails then is an event.
 */
export async function streamText(
  deps: RouteDependencies,
  { incoming, reply, caller }: { readonly incoming: FastifyRequest; readonly reply: FastifyReply; readonly caller: Caller },
  parts: AsyncGenerator<TextPart, void, undefined>,
  { encode, ping, contentType }: StreamEncoding,
): Promise<FastifyReply> {
  using _place = await deps.places.take(caller.accountId, 'streams')
  const { clock } = deps
  const first = parts.next()
  const isEarly = await isLate(clock, first, incoming.streamDueAt)
  const onFailure = (error: unknown) => deps.observer.faultSurvived({ requestId: incoming.id, error })
  const form = { contentType, ping: ping === null ? null : { text: ping, isDue: isEarly } }
  await sendEvents({ clock, onFailure }, reply, encode(fromFirst(first, parts), { isEarly }), form)
  return reply
}
