/** Everything that is written down of what people and operators do, by its stable name. */
export const auditActions = [
  'signed-in',
  'signed-out',
  'sessions-ended',
  'joined',
  'sign-in-changed',
  'identity-linked',
  'identity-unlinked',
  'passkey-added',
  'passkey-removed',
  'second-factor-set',
  'second-factor-removed',
  'recovery-codes-renewed',
  'recovery-code-used',
  'account-created',
  'account-changed',
  'account-deleted',
  'link-made',
  'invitation-made',
  'invitation-withdrawn',
  'token-created',
  'token-limited',
  'token-revoked',
  'token-restored',
  'webhook-secret-rotated',
  'request-log-on',
  'request-log-off',
  'request-log-read',
  'request-log-deleted',
  'request-log-key-made',
  'model-loaded',
  'model-unloaded',
  'model-pulled',
  'model-pull-removed',
  'model-removed',
] as const

/** One of {@link auditActions}. */
export type AuditAction = (typeof auditActions)[number]

/** Who did what, from where. Never holds a secret. */
export interface AuditEntry {
  /** Unix milliseconds. */
  readonly at: number
  readonly action: AuditAction
  /** Who did it; null = the operator, at the command line. */
  readonly accountId: string | null
  /** Where it was asked for; null = on the machine itself. */
  readonly address: string | null
  /** To what it was done: the id of an account, token or invitation, or the name of a model; null = to nothing else. */
  readonly subject: string | null
  /** What became of it, in few words or as JSON; null = the action says it all. */
  readonly detail: string | null
}
