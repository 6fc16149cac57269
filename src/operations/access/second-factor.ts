import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { hashSecretText } from './secret-text.ts'

export type SecondFactorDependencies = Pick<Store, 'documents' | 'clock'>

/** A second factor as shown to its user. */
export interface SecondFactor {
  readonly confirmedAt: number
  /** Number of unused recovery codes. */
  readonly recoveryLeft: number
}

interface StoredFactor {
  /** 20 bytes. */
  readonly secret: Buffer
  /** null = not confirmed by a code yet, so not in use. */
  readonly confirmedAt: number | null
  /** Time step of the last accepted code; earlier ones are rejected. */
  readonly lastStep: number
  readonly recoveryHashes: readonly string[]
}

const kind = 'second-factor'
const secretBytes = 20
const recoveryCount = 10
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const attempts = 3

/** The confirmed second factor of an account, or null. */
export async function findSecondFactor(
  deps: Pick<SecondFactorDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<SecondFactor | null> {
  const { factor } = await read(deps, accountId, options)
  return factor?.confirmedAt == null ? null : { confirmedAt: factor.confirmedAt, recoveryLeft: factor.recoveryHashes.length }
}

/** Ids of the accounts with a confirmed second factor. */
export async function listSecondFactors(
  { documents }: Pick<SecondFactorDependencies, 'documents'>,
  options: Abortable,
): Promise<readonly string[]> {
  const found = await documents.list({ kind, accountId: null, label: 'confirmed', order: 'oldest', after: null, limit: 10_000 }, options)
  return found.map(({ accountId }) => accountId)
}

/**
 * Creates a secret for an authenticator app, which takes effect when confirmed by a code. An earlier unconfirmed secret becomes invalid.
 *
 * @returns The secret in base32.
 * @throws {ServiceError} `validation_error` if there is a confirmed one, or another was begun concurrently.
 */
export async function beginSecondFactor(deps: SecondFactorDependencies, accountId: string, options: Abortable): Promise<string> {
  const { factor, version } = await read(deps, accountId, options)
  if (factor?.confirmedAt != null)
    throw new ServiceError('validation_error', 'This account has a second factor; remove it before you set a new one.')
  const secret = randomBytes(secretBytes)
  const begun = { factor: { secret, confirmedAt: null, lastStep: -1, recoveryHashes: [] }, version }
  if (!(await write(deps, accountId, begun, options))) throw changedMeanwhile()
  return base32(secret)
}

/**
 * Confirms the new factor by its first code.
 *
 * @returns Recovery codes, which are not stored in plain text; null = a wrong code, or nothing to confirm.
 */
export async function confirmSecondFactor(
  deps: SecondFactorDependencies,
  { accountId, code }: { readonly accountId: string; readonly code: string },
  options: Abortable,
): Promise<readonly string[] | null> {
  const { factor, version } = await read(deps, accountId, options)
  if (factor === null || factor.confirmedAt !== null) return null
  const lastStep = findStep(factor.secret, plain(code), deps.clock.now())
  if (lastStep === null) return null
  const codes = makeRecoveryCodes()
  const next = { ...factor, confirmedAt: deps.clock.now(), lastStep, recoveryHashes: codes.map(hashRecoveryCode) }
  return (await write(deps, accountId, { factor: next, version }, options)) ? codes : null
}

/** Consumes a code, each one once even under concurrent calls; returns its kind, or null if it is wrong or used. */
export async function useSecondFactor(
  deps: SecondFactorDependencies,
  { accountId, code }: { readonly accountId: string; readonly code: string },
  options: Abortable,
): Promise<'code' | 'recovery' | null> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { factor, version } = await read(deps, accountId, options)
    if (factor === null || factor.confirmedAt === null) return null
    const used = useCode(factor, code, deps.clock.now())
    if (used === null) return null
    if (await write(deps, accountId, { factor: used.factor, version }, options)) return used.by
  }
  return null
}

/** Replaces the recovery codes. @throws {ServiceError} `not_found` without a confirmed factor. */
export async function renewRecoveryCodes(
  deps: SecondFactorDependencies,
  accountId: string,
  options: Abortable,
): Promise<readonly string[]> {
  const codes = makeRecoveryCodes()
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { factor, version } = await read(deps, accountId, options)
    if (factor?.confirmedAt == null) throw new ServiceError('not_found', 'This account has no second factor.')
    const next = { ...factor, recoveryHashes: codes.map(hashRecoveryCode) }
    if (await write(deps, accountId, { factor: next, version }, options)) return codes
  }
  throw changedMeanwhile()
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('validation_error', 'The second factor was changed at the same time; try again.')
}

/** Removes the confirmed second factor; returns whether there was one. */
export async function removeSecondFactor(
  deps: Pick<SecondFactorDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<boolean> {
  if ((await findSecondFactor(deps, accountId, options)) === null) return false
  return deps.documents.remove({ kind, id: accountId, accountId }, options)
}

function useCode(
  factor: StoredFactor,
  code: string,
  now: number,
): { readonly by: 'code' | 'recovery'; readonly factor: StoredFactor } | null {
  const step = findStep(factor.secret, plain(code), now)
  if (step !== null) return step > factor.lastStep ? { by: 'code', factor: { ...factor, lastStep: step } } : null
  const hash = hashRecoveryCode(code)
  const left = factor.recoveryHashes.filter((each) => each !== hash)
  return left.length < factor.recoveryHashes.length ? { by: 'recovery', factor: { ...factor, recoveryHashes: left } } : null
}

function makeRecoveryCodes(): readonly string[] {
  const letter = () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]
  const part = () => Array.from({ length: 4 }, letter).join('')
  return Array.from({ length: recoveryCount }, () => Array.from({ length: 4 }, part).join('-'))
}

function hashRecoveryCode(code: string): string {
  return hashSecretText(plain(code).toLowerCase())
}

/** A code without separators, in upper case. */
function plain(code: string): string {
  return code.replace(/[\s-]/g, '')
}

interface Versioned {
  readonly factor: StoredFactor
  readonly version: number | null
}

async function read(
  { documents }: Pick<SecondFactorDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<Versioned | { readonly factor: null; readonly version: null }> {
  const found = await documents.get({ kind, id: accountId, accountId }, options)
  return found === null ? { factor: null, version: null } : { factor: readFactor(found), version: found.version }
}

/** False = the stored version has changed since it was read. */
async function write(
  deps: SecondFactorDependencies,
  accountId: string,
  { factor, version }: Versioned,
  options: Abortable,
): Promise<boolean> {
  const { secret, confirmedAt, lastStep, recoveryHashes } = factor
  const value = { secret: secret.toString('base64'), confirmedAt, lastStep, recoveryHashes: [...recoveryHashes] }
  const label = confirmedAt === null ? null : 'confirmed'
  const document = { ...plainDocument, kind, id: accountId, accountId, value, at: deps.clock.now(), label } as const
  return (await deps.documents.put(document, { ...options, version, most: Number.POSITIVE_INFINITY })) === 'stored'
}

function readFactor({ id, value }: StoredDocument): StoredFactor {
  const { secret, confirmedAt, lastStep, recoveryHashes } = isRecord(value) ? value : {}
  if (typeof secret !== 'string' || typeof lastStep !== 'number' || !Array.isArray(recoveryHashes))
    throw new TypeError(`The stored second factor of ${id} is damaged.`)
  const hashes = recoveryHashes.filter((hash) => typeof hash === 'string')
  return {
    secret: Buffer.from(secret, 'base64'),
    confirmedAt: typeof confirmedAt === 'number' ? confirmedAt : null,
    lastStep,
    recoveryHashes: hashes,
  }
}

const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * The one-time code of a step of 30 seconds.
 *
 * @see RFC 6238 with HMAC-SHA-1 over RFC 4226's truncation
 */
export function oneTimeCode(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0xf
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0')
}

/** The time step a code belongs to: the current one, the one before or the one after; null = none. @param now Unix milliseconds. */
export function findStep(secret: Uint8Array, code: string, now: number): number | null {
  const current = Math.floor(now / stepMs)
  const given = Buffer.from(code)
  const fits = (step: number) => {
    const expected = Buffer.from(oneTimeCode(secret, step))
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  return [current, current - 1, current + 1].find((step) => step >= 0 && fits(step)) ?? null
}

/** Encodes bytes in base32, for typing into an app. @see RFC 4648, section 6, without padding */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}
