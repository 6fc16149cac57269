import type { FastifyRequest } from 'fastify'
import type { AuditAction, AuditEntry } from '../core/audit-entry.ts'
import { neverAborted } from '../core/waiting.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'
import { personOf } from './sign-in/signed-in.ts'

type Recorded = Partial<Pick<AuditEntry, 'accountId' | 'subject' | 'detail'>>

/**
 * Records an action in the audit log before it is answered, even if the client has left.
 *
 * @param more.accountId The account, if the request has no session yet; default: the signed-in account.
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
