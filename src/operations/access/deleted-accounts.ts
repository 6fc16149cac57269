import { isEnabled } from '../../core/account.ts'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { listAttaching, listInferences, ownersOf } from '../account-bytes.ts'

const kind = 'deleted-account'
/** Owner of the list of accounts being deleted; never an account id. */
const service = 'service'
/** Time for cancelled work to end; work that runs longer loses its record. */
const endingMs = 60_000
/** Time in which late rows of an erased account are still deleted, such as usage entries. */
const lateMs = 10 * 60_000
const readAtOnce = 100

interface NotingDependencies {
  readonly accounts: AccountStore
  readonly documents: DocumentStore
  readonly clock: { now(): number }
}

export interface AccountDeletion {
  readonly accountId: string
  /** The acting owner; null = the account itself, or the operator. */
  readonly by: string | null
  /** The account's name, typed as confirmation. */
  readonly name: string
}

/**
 * Deletes an account: it is disabled at once, which ends its work, and {@link eraseDeletedAccounts} erases its data later. After an error the
 * call may be repeated; an account that was noted by then is disabled later.
 *
 * @throws {ServiceError} `not_found`; `validation_error` for another name, and for the last owner who can sign in; `insufficient_scope` if
 * `by` is no longer an owner.
 */
export async function deleteAccount(deps: NotingDependencies, { accountId, by, name }: AccountDeletion, options: Abortable): Promise<void> {
  const { accounts, documents } = deps
  const account = await accounts.find(accountId, options)
  const isNoted = (await documents.get({ kind, id: accountId, accountId: service }, options)) !== null
  if (account === null || (isNoted && !isEnabled(account))) throw new ServiceError('not_found', 'There is no such account.')
  if (by === accountId) throw new ServiceError('validation_error', 'Delete your own account on the page Account.')
  if (name.trim() !== account.name)
    throw new ServiceError('validation_error', `Type the name of the account exactly: ${account.name}`, { param: 'name' })
  if (await noteAndDisable(deps, { accountId, by }, options)) return
  if (by !== null && !isEnabled(await accounts.find(by, options)))
    throw new ServiceError('insufficient_scope', 'You are no longer an owner; ask an owner of the service.')
  throw new ServiceError('validation_error', 'This is the only owner who can sign in; make somebody else an owner first.')
}

/**
 * Notes an account for erasing and disables it; false = `by` may not, and neither remains. The note comes first: nobody could sign in to
 * repeat a deletion that stopped between the two.
 */
async function noteAndDisable(
  { accounts, documents, clock }: NotingDependencies,
  { accountId, by }: Pick<AccountDeletion, 'accountId' | 'by'>,
  options: Abortable,
): Promise<boolean> {
  const note = { ...plainDocument, kind, id: accountId, accountId: service, value: by, at: clock.now() } as const
  const result = await documents.put(note, { ...options, most: Number.POSITIVE_INFINITY })
  if (result !== 'stored') throw new Error(`Noting a deleted account returned ${result}`)
  if (await accounts.change(accountId, { by, keepsOwner: true, disabledAt: clock.now() }, options)) return true
  await documents.remove({ kind, id: accountId, accountId: service }, options)
  return false
}

/** Ids of the accounts being deleted. */
export async function listDeletedAccounts(
  { documents }: { readonly documents: DocumentStore },
  options: Abortable,
): Promise<ReadonlySet<string>> {
  return new Set((await listNotes(documents, options)).map(({ id }) => id))
}

export interface ErasingDependencies extends NotingDependencies, Pick<Store, 'log'> {
  readonly outputs: OutputStore
}

/**
 * Erases the data of deleted accounts whose work has ended, rows before files, and repeats this for some time for late rows. A crash in
 * between leaves orphaned files, which are searched for periodically. Deletions that stopped before the account was disabled are continued.
 */
export async function eraseDeletedAccounts(deps: ErasingDependencies, options: Abortable): Promise<void> {
  for (const { id, at, value } of await listNotes(deps.documents, options)) {
    const age = deps.clock.now() - at
    if (isEnabled(await deps.accounts.find(id, options))) {
      // A young note is that of a request which is about to disable the account.
      if (age >= endingMs) await noteAndDisable(deps, { accountId: id, by: typeof value === 'string' ? value : null }, options)
      continue
    }
    const running = await deps.log.list({ accountId: id, status: 'running', limit: 1, after: null }, options)
    if (running.inferences.length > 0 && age < endingMs) continue
    const files = await listFiles(deps, id, options)
    await deps.accounts.erase(ownersOf(id), options)
    await deps.outputs.delete(files, options)
    if (age >= lateMs) await deps.documents.remove({ kind, id, accountId: service }, options)
  }
}

function listNotes(documents: DocumentStore, options: Abortable): Promise<readonly StoredDocument[]> {
  return documents.list({ kind, accountId: service, order: 'oldest', after: null, limit: readAtOnce }, options)
}

/** Keys of the outputs of an account and of the files of its documents. */
async function listFiles(deps: ErasingDependencies, accountId: string, options: Abortable): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { files } of listAttaching(deps, accountId, options)) keys.push(...files.map(({ key }) => key))
  for await (const { output } of listInferences(deps, { accountId, status: null }, options)) if (output !== null) keys.push(output.key)
  return keys
}
