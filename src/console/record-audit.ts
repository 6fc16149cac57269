import type { FastifyRequest } from 'fastify'
import type { AuditAction, AuditEntry } from '../core/audit-entry.ts'
import { neverAborted } from '../core/waiting.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'
import { personOf } from './sign-in/signed-in.ts'

type Recorded = Partial<Pick<AuditEntry, 'accountId' | 'subject' | 'detail'>>

/**
 * Writes down that a person has done something, before the answer says so; also when the client has left meanwhile.
 *
 * @param more.accountId Who it was, where the request has no session yet; default: the signed-in account.
 */
export async function recordAudit(
  { audit, clock }: Pick<ConsoleDependencies, 'audit' | 'clock'>,
  request: FastifyRequest,
  action: AuditAction,
  { accountId = personOf(request).id, subject = null, detail = null }: Recorded = {},
): Promise<void> {
  const entry = { at: clock.now(), action, accountId, address: request.ip, subject, detail }
  await audit.append(entry, neverAborted)
}
