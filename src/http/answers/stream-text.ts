import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../core/access-token.ts'
import type { TextPart } from '../../core/text-generation.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { afterFirst } from './first-part.ts'
import { sendEvents } from './send-events.ts'

/** Answers with a generation as events, on one of the account's places; what fails before its first part is answered with its own status. */
export async function streamText(
  deps: RouteDependencies,
  { incoming, reply, caller }: { readonly incoming: FastifyRequest; readonly reply: FastifyReply; readonly caller: Caller },
  parts: AsyncGenerator<TextPart, void, undefined>,
  encode: (parts: AsyncIterable<TextPart>) => AsyncGenerator<string>,
): Promise<FastifyReply> {
  using _place = await deps.places.take(caller.accountId, 'streams')
  const events = encode(await afterFirst(parts))
  const onFailure = (error: unknown) => deps.observer.faultSurvived({ requestId: incoming.id, error })
  await sendEvents({ clock: deps.clock, onFailure }, reply, events)
  return reply
}
