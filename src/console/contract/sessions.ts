import type { Session } from '../../core/account.ts'

/** A browser that is signed in. */
export interface ListedSession extends Pick<Session, 'address' | 'agent' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> {
  readonly id: string
  /** Whether it is the one that asks. */
  readonly current: boolean
}

/** GET /console/api/sessions; DELETE /console/api/sessions/:id ends one, DELETE /console/api/sessions all but the one that asks. */
export interface SessionList {
  /** Newest first. */
  readonly sessions: readonly ListedSession[]
}
