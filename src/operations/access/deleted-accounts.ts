import { isEnabled } from '../../core/account.ts'
import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { bodyFiles, bodyOwner } from '../bodies/kept-bodies.ts'
import { readFileDocument } from '../files/file-documents.ts'
import { keptPictureFiles } from '../pictures/kept-pictures.ts'
import { thumbnailFiles } from '../pictures/thumbnails.ts'

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
  if (account === null) throw new ServiceError('not_found', 'There is no such account.')
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
    const owners = [id, bodyOwner(id)]
    const files = [
      ...(await Promise.all(owners.map((owner) => listFiles(deps, owner, options)))).flat(),
      ...(await listOutputs(deps, id, options)),
    ]
    await deps.accounts.erase(owners, options)
    await deps.outputs.delete(files, options)
    if (age >= lateMs) await deps.documents.remove({ kind: 'deleted-account', id, accountId: service }, options)
  }
}

function listNotes(documents: DocumentStore, options: Abortable): Promise<readonly StoredDocument[]> {
  return documents.list({ kind: 'deleted-account', accountId: service, order: 'oldest', after: null, limit: readAtOnce }, options)
}

/** Keys of files attached to documents. Files of assets are removed by the task for orphaned files. */
async function listFiles({ documents }: ErasingDependencies, accountId: string, options: Abortable): Promise<readonly string[]> {
  const keys: string[] = []
  for (const kind of ['file', 'picture', 'thumbnail', 'request-body'] as const) {
    let after: { readonly at: number; readonly id: string } | null = null
    do {
      const page: readonly StoredDocument[] = await documents.list({ kind, accountId, order: 'oldest', after, limit: readAtOnce }, options)
      const files = kind === 'file' ? page.flatMap((document) => readFileDocument(document).parts.map(({ key }) => key)) : []
      keys.push(...files, ...keptPictureFiles(page), ...thumbnailFiles(page), ...bodyFiles(page))
      const last = page.length < readAtOnce ? undefined : page.at(-1)
      after = last === undefined ? null : { at: last.at, id: last.id }
    } while (after !== null)
  }
  return keys
}

async function listOutputs({ log }: ErasingDependencies, accountId: string, options: Abortable): Promise<readonly string[]> {
  const keys: string[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<InferenceLog['list']>> = await log.list({ accountId, status: null, limit: readAtOnce, after }, options)
    keys.push(...page.inferences.flatMap(({ output }) => output?.key ?? []))
    after = page.next
  } while (after !== null)
  return keys
}
