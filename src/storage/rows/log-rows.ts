import { randomBytes } from 'node:crypto'
import { auditActions } from '../../core/audit-entry.ts'
import type { NumberedAuditEntry } from '../../core/ports/audit-log.ts'
import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'
import { type Row, readInteger, readOneOf, readText, readTextOrNull } from './row.ts'

/** A row of `audit_entries`. */
export function readAuditEntry(row: Row): NumberedAuditEntry {
  return {
    number: readInteger(row, 'seq'),
    at: readInteger(row, 'at'),
    action: readOneOf(row, 'action', auditActions),
    accountId: readTextOrNull(row, 'account_id'),
    address: readTextOrNull(row, 'address'),
    subject: readTextOrNull(row, 'subject'),
    detail: readTextOrNull(row, 'detail'),
  }
}

/** Maximum number of deliveries in a list. */
export const listed = 200

/** A row of `webhook_deliveries`. */
export function readDelivery(row: Row): WebhookDelivery {
  return {
    id: readText(row, 'id'),
    inferenceId: readText(row, 'inference_id'),
    accountId: readText(row, 'account_id'),
    url: readText(row, 'url'),
    attempts: readInteger(row, 'attempts'),
    nextAttemptAt: readInteger(row, 'next_attempt_at'),
    state: readOneOf(row, 'state', ['waiting', 'delivered', 'given-up']),
    lastResult: readTextOrNull(row, 'last_result'),
    traceparent: readTextOrNull(row, 'traceparent'),
  }
}

/** Time for which the previous secret still signs. */
const rotationMs = 24 * 60 * 60 * 1000

/** Generates a signing secret in the format of Standard Webhooks. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secrets in use; `known` are an account's secrets, newest first. */
export function currentSecrets(known: readonly { readonly secret: string; readonly createdAt: number }[], now: number): readonly string[] {
  const [current] = known
  const overlaps = current !== undefined && now < current.createdAt + rotationMs
  return known.slice(0, overlaps ? 2 : 1).map(({ secret }) => secret)
}
