/** Names of all audited actions; stable across versions. */
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

/** One audited action: the actor, the action and the client address. Never holds a secret. */
export interface AuditEntry {
  /** Unix milliseconds. */
  readonly at: number
  readonly action: AuditAction
  /** The actor; null = the operator, at the command line. */
  readonly accountId: string | null
  /** Client address; null = on the machine itself. */
  readonly address: string | null
  /** The object of the action: the id of an account, token or invitation, or the name of a model; null = none. */
  readonly subject: string | null
  /** Details in a few words or as JSON; null = none. */
  readonly detail: string | null
}
