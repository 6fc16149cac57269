import { hash } from 'node:crypto'
import { type Document, plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'

export type PasskeyDependencies = Pick<Store, 'documents' | 'clock'>

/** A passkey of an account with its public key. */
export interface Passkey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Credential id in base64url. */
  readonly credentialId: string
  readonly publicKey: Uint8Array<ArrayBuffer>
  /** Signature counter of the authenticator; 0 for those without one. */
  readonly counter: number
  readonly createdAt: number
  /** null = never used. */
  readonly lastUsedAt: number | null
  /** Version of the record, for changing it. */
  readonly version: number
}

/** A passkey as shown to its user. */
export type ShownPasskey = Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>

const kind = 'passkey'
const maxPerAccount = 20

/** Stores a new passkey. @throws {ServiceError} `validation_error` if it is already registered or the account has 20. */
export async function addPasskey(
  deps: PasskeyDependencies,
  passkey: Pick<Passkey, 'accountId' | 'name' | 'credentialId' | 'publicKey' | 'counter'>,
  options: Abortable,
): Promise<void> {
  if ((await listPasskeys(deps, passkey.accountId, options)).length >= maxPerAccount)
    throw new ServiceError('validation_error', `This account has ${maxPerAccount} passkeys; remove one first.`)
  const now = deps.clock.now()
  const document = toDocument({ ...passkey, createdAt: now, lastUsedAt: null }, now)
  if ((await deps.documents.put(document, { ...options, version: null, most: Number.POSITIVE_INFINITY })) !== 'stored')
    throw new ServiceError('validation_error', 'This passkey is already registered.')
}

/** Finds a passkey of any account by credential id, or null. */
export async function findPasskey({ documents }: PasskeyDependencies, credentialId: string, options: Abortable): Promise<Passkey | null> {
  const found = await documents.get({ kind, id: idOf(credentialId), accountId: null }, options)
  return found && readPasskey(found)
}

/** Records its use; false = it was used concurrently since it was read. */
export async function usePasskey(deps: PasskeyDependencies, passkey: Passkey, counter: number, options: Abortable): Promise<boolean> {
  const { version } = passkey
  const document = toDocument({ ...passkey, counter, lastUsedAt: deps.clock.now() }, passkey.createdAt)
  return (await deps.documents.put(document, { ...options, version, most: Number.POSITIVE_INFINITY })) === 'stored'
}

/** An account's passkeys, oldest first. */
export async function listPasskeys(
  { documents }: Pick<PasskeyDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<readonly ShownPasskey[]> {
  const found = await documents.list({ kind, accountId, order: 'oldest', after: null, limit: maxPerAccount }, options)
  return found.map(readPasskey).map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }))
}

/** Removes a passkey; returns whether it existed. */
export function removePasskey(
  { documents }: Pick<PasskeyDependencies, 'documents'>,
  target: Pick<Passkey, 'id' | 'accountId'>,
  options: Abortable,
): Promise<boolean> {
  return documents.remove({ kind, ...target }, options)
}

/** Consumes a challenge; true for exactly one caller. The mark expires after the challenge. */
export async function takeChallenge(
  { documents, clock }: PasskeyDependencies,
  { challenge, accountId, lifetimeMs }: { readonly challenge: string; readonly accountId: string; readonly lifetimeMs: number },
  options: Abortable,
): Promise<boolean> {
  const now = clock.now()
  const mark = { kind: 'used-challenge', id: idOf(challenge), accountId, value: null, at: now } as const
  const document = { ...plainDocument, ...mark, expiresAt: now + lifetimeMs }
  return (await documents.put(document, { ...options, version: null, most: Number.POSITIVE_INFINITY })) === 'stored'
}

/** Credential ids may be longer than document ids. */
function idOf(text: string): string {
  return hash('sha256', text)
}

function toDocument(
  { accountId, name, credentialId, publicKey, counter, lastUsedAt }: Omit<Passkey, 'id' | 'version'>,
  at: number,
): Document {
  const value = { name, credentialId, publicKey: Buffer.from(publicKey).toString('base64'), counter, lastUsedAt }
  return { ...plainDocument, kind, id: idOf(credentialId), accountId, value, at }
}

function readPasskey({ id, accountId, at, value, version }: StoredDocument): Passkey {
  const { name, credentialId, publicKey, counter, lastUsedAt } = isRecord(value) ? value : {}
  if (typeof credentialId !== 'string' || typeof publicKey !== 'string' || typeof counter !== 'number')
    throw new TypeError(`The stored passkey ${id} is damaged.`)
  return {
    id,
    accountId,
    name: String(name),
    credentialId,
    publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64')),
    counter,
    createdAt: at,
    lastUsedAt: typeof lastUsedAt === 'number' ? lastUsedAt : null,
    version,
  }
}
