import { isEnabled } from '../../core/account.ts'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { listAttaching, listInferences, ownersOf } from '../account-bytes.ts'

/** Owner of the list of accounts being deleted; never an account id. */
const service = 'service'
/** Time for cancelled work to end; work that runs longer loses its record. */
const endingMs = 60_000
/** Time in which late rows of an erased account are still deleted, such as usage entries. */
const lateMs = 10 * 60_000
const readAtOnce = 100

export interface AccountDeletion {
  readonly accountId: string
  /** The acting owner; null = the account itself, or the operator. */
  readonly by: string | null
  /** The account's name, typed as confirmation. */
  readonly name: string
}

/**
 * Deletes an account: it is disabled at once, which ends its work, and {@link eraseDeletedAccounts} erases its data later.
 *
 * @throws {ServiceError} `not_found`; `validation_error` for another name, and for the last owner who can sign in; `insufficient_scope` if
 * `by` is no longer an owner.
 */
export async function deleteAccount(
  { accounts, documents, clock }: { readonly accounts: AccountStore; readonly documents: DocumentStore; readonly clock: { now(): number } },
  { accountId, by, name }: AccountDeletion,
  options: Abortable,
): Promise<void> {
  const account = await accounts.find(accountId, options)
  const isNoted = (await documents.get({ kind: 'deleted-account', id: accountId, accountId: service }, options)) !== null
  if (account === null || isNoted) throw new ServiceError('not_found', 'There is no such account.')
  if (by === accountId) throw new ServiceError('validation_error', 'Delete your own account on the page Account.')
  if (name.trim() !== account.name)
    throw new ServiceError('validation_error', `Type the name of the account exactly: ${account.name}`, { param: 'name' })
  if (!(await accounts.change(accountId, { by, keepsOwner: true, disabledAt: clock.now() }, options))) {
    if (by !== null && !isEnabled(await accounts.find(by, options)))
      throw new ServiceError('insufficient_scope', 'You are no longer an owner; ask an owner of the service.')
    throw new ServiceError('validation_error', 'This is the only owner who can sign in; make somebody else an owner first.')
  }
  const note = { ...plainDocument, kind: 'deleted-account', id: accountId, accountId: service, value: null, at: clock.now() } as const
  const result = await documents.put(note, { ...options, most: Number.POSITIVE_INFINITY })
  if (result !== 'stored') throw new Error(`Noting a deleted account returned ${result}`)
}

/** Ids of the accounts being deleted. */
export async function listDeletedAccounts(
  { documents }: { readonly documents: DocumentStore },
  options: Abortable,
): Promise<ReadonlySet<string>> {
  return new Set((await listNotes(documents, options)).map(({ id }) => id))
}

export interface ErasingDependencies extends Pick<Store, 'accounts' | 'documents' | 'log'> {
  readonly outputs: OutputStore
  readonly clock: { now(): number }
}

/**
 * Erases the data of deleted accounts whose work has ended, rows before files, and repeats this for some time for late rows. A crash in
 * between leaves orphaned files, which are searched for periodically.
 */
export async function eraseDeletedAccounts(deps: ErasingDependencies, options: Abortable): Promise<void> {
  for (const { id, at } of await listNotes(deps.documents, options)) {
    const age = deps.clock.now() - at
    const running = await deps.log.list({ accountId: id, status: 'running', limit: 1, after: null }, options)
    if (running.inferences.length > 0 && age < endingMs) continue
    const files = await listFiles(deps, id, options)
    await deps.accounts.erase(ownersOf(id), options)
    await deps.outputs.delete(files, options)
    if (age >= lateMs) await deps.documents.remove({ kind: 'deleted-account', id, accountId: service }, options)
  }
}

function listNotes(documents: DocumentStore, options: Abortable): Promise<readonly StoredDocument[]> {
  return documents.list({ kind: 'deleted-account', accountId: service, order: 'oldest', after: null, limit: readAtOnce }, options)
}

/** Keys of the outputs of an account and of the files of its documents. */
async function listFiles(deps: ErasingDependencies, accountId: string, options: Abortable): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { files } of listAttaching(deps, accountId, options)) keys.push(...files.map(({ key }) => key))
  for await (const { output } of listInferences(deps, { accountId, status: null }, options)) if (output !== null) keys.push(output.key)
  return keys
}
