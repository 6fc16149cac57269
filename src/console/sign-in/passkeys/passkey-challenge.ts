import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { takeChallenge } from '../../../operations/access/passkeys.ts'
import { readServiceKey } from '../../../operations/service-key.ts'
import type { ConsoleDependencies } from '../../console-dependencies.ts'
import { readHostCookie, writeHostCookie } from '../host-cookie.ts'
import { sealValue, unsealValue } from '../sealed-value.ts'

type Dependencies = Pick<ConsoleDependencies, 'addresses' | 'clock' | 'documents'>
/** Time limit for the user to confirm. */
const challengeMs = 5 * 60 * 1000
const cookieName = 'sepia_passkey'
const purpose = 'passkey challenge'

/** The purpose of a challenge; one made for signing in cannot register a passkey. */
export type ChallengeUse = 'sign-in' | `register for ${string}`

/** Sends the browser a challenge to return, sealed, so that any node can check it. */
export async function writeChallenge(
  deps: Dependencies,
  reply: FastifyReply,
  { challenge, use }: { readonly challenge: string; readonly use: ChallengeUse },
  options: Abortable,
): Promise<void> {
  const serviceKey = await readServiceKey(deps, options)
  const sealed = sealValue({ challenge, use, madeAt: deps.clock.now() }, { serviceKey, purpose })
  const { publicUrl } = deps.addresses()
  reply.header('set-cookie', writeHostCookie(cookieName, sealed, { publicUrl, maxAgeMs: challengeMs }))
}

/**
 * The challenge of this browser.
 *
 * @throws {ServiceError} `validation_error` when there is none for this use, or it is too old.
 */
export async function readChallenge(deps: Dependencies, request: FastifyRequest, use: ChallengeUse, options: Abortable): Promise<string> {
  const sealed = readHostCookie(cookieName, request.headers, deps.addresses().publicUrl)
  const serviceKey = await readServiceKey(deps, options)
  const given = sealed === null ? null : unsealValue(sealed, { serviceKey, purpose })
  const { challenge, madeAt, use: madeFor } = isRecord(given) ? given : {}
  const isNew = typeof madeAt === 'number' && deps.clock.now() - madeAt < challengeMs
  if (typeof challenge !== 'string' || madeFor !== use || !isNew) throw tooLate()
  return challenge
}

/**
 * Marks a challenge as used.
 *
 * @throws {ServiceError} `validation_error` when it was used before.
 */
export async function spendChallenge(
  deps: Dependencies,
  { challenge, accountId }: { readonly challenge: string; readonly accountId: string },
  options: Abortable,
): Promise<void> {
  if (!(await takeChallenge(deps, { challenge, accountId, lifetimeMs: challengeMs }, options))) throw tooLate()
}

function tooLate(): ServiceError {
  return new ServiceError('validation_error', 'This took too long or was already used; start again.')
}
