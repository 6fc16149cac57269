import { createHash } from 'node:crypto'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'

/** A user's permanent id at a provider; unique only together with the issuer. */
export interface IdentityName {
  readonly issuer: string
  readonly subject: string
}

/** An identity linked to an account. */
export interface LinkedIdentity extends IdentityName {
  readonly id: string
  readonly accountId: string
  /** Verified e-mail address at the time of linking; null = none. */
  readonly email: string | null
  readonly linkedAt: number
}

export type IdentityDependencies = Pick<Store, 'documents' | 'clock'>

const kind = 'sign-in-identity'
const maxPerAccount = 20

/** The account an identity is linked to, or null. */
export async function findIdentity(
  { documents }: IdentityDependencies,
  name: IdentityName,
  options: Abortable,
): Promise<LinkedIdentity | null> {
  const found = await documents.get({ kind, id: idOf(name), accountId: null }, options)
  return found && readIdentity(found)
}

/** Links an identity to an account unless it is linked already; returns the account it is linked to, also under concurrent calls. */
export async function linkIdentity(
  deps: IdentityDependencies,
  { issuer, subject, email, accountId }: IdentityName & Pick<LinkedIdentity, 'email' | 'accountId'>,
  options: Abortable,
): Promise<LinkedIdentity> {
  const { documents, clock } = deps
  const value = { issuer, subject, email }
  const document = { ...plainDocument, kind, id: idOf({ issuer, subject }), accountId, value, at: clock.now() } as const
  await documents.put(document, { ...options, version: null, most: Number.POSITIVE_INFINITY })
  const linked = await findIdentity(deps, { issuer, subject }, options)
  if (linked === null) throw new Error('An identity was unlinked while it was being linked.')
  return linked
}

/** The identities linked to an account, oldest first. */
export async function listIdentities(
  { documents }: Pick<IdentityDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<readonly LinkedIdentity[]> {
  const found = await documents.list({ kind, accountId, order: 'oldest', after: null, limit: maxPerAccount }, options)
  return found.map(readIdentity)
}

/** Unlinks an identity; returns whether it was linked. */
export function unlinkIdentity(
  { documents }: IdentityDependencies,
  target: Pick<LinkedIdentity, 'id' | 'accountId'>,
  options: Abortable,
): Promise<boolean> {
  return documents.remove({ kind, ...target }, options)
}

/** Issuers and subjects may be long and contain anything. */
function idOf({ issuer, subject }: IdentityName): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
}

function readIdentity({ id, accountId, at, value }: StoredDocument): LinkedIdentity {
  const { issuer, subject, email } = isRecord(value) ? value : {}
  if (typeof issuer !== 'string' || typeof subject !== 'string') throw new TypeError(`The stored identity ${id} is damaged.`)
  return { id, accountId, issuer, subject, email: typeof email === 'string' ? email : null, linkedAt: at }
}
