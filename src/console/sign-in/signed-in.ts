import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { findSessionAccount, readSessionCookie, type SessionDependencies } from './session.ts'

const people = new WeakMap<FastifyRequest, Account>()

/**
 * Finds the account whose browser sent a request.
 *
 * @throws {ServiceError} `missing_token` when it is not signed in.
 */
export async function identifyPerson(
  deps: SessionDependencies & { readonly addresses: () => { readonly publicUrl: string } },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = readSessionCookie(request.headers, deps.addresses().publicUrl)
  const account = secret === null ? null : await findSessionAccount(deps, secret, { signal: clientSignal(reply) })
  if (account === null) throw new ServiceError('missing_token', 'Sign in first.')
  people.set(request, account)
}

/** The signed-in account; only after {@link identifyPerson}. */
export function personOf(request: FastifyRequest): Account {
  const account = people.get(request)
  if (account === undefined) throw new TypeError('This route is not behind a sign-in')
  return account
}

/** The signed-in owner. @throws {ServiceError} `insufficient_scope` for members. */
export function ownerOf(request: FastifyRequest): Account {
  const account = personOf(request)
  if (account.role !== 'owner') throw new ServiceError('insufficient_scope', 'Only owners can do this; ask an owner of the service.')
  return account
}
