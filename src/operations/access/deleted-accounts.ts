import { isEnabled } from '../../core/account.ts'
import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { bodyFiles, bodyOwner } from '../bodies/kept-bodies.ts'
import { readFileDocument } from '../files/file-documents.ts'
import { keptPictureFiles } from '../pictures/kept-pictures.ts'
import { thumbnailFiles } from '../pictures/thumbnails.ts'

type Options = { readonly signal: AbortSignal }

/** Under which name it is noted which accounts are being deleted; no account has it. */
const service = 'service'
/** How long cancelled work may take to end; after that it loses its record while it runs. */
const endingMs = 60_000
/** For how long rows are looked for that were on their way when the account was erased, such as a request's place in the books. */
const lateMs = 10 * 60_000
const readAtOnce = 100

export interface AccountDeletion {
  readonly accountId: string
  /** The owner whose wish it is; null = its own person's, or the operator's. */
  readonly by: string | null
  /** The name of the account, as it was typed to confirm. */
  readonly name: string
}

/**
 * Deletes an account: it is disabled at once, so that nothing of it is served any more and its work ends. {@link eraseDeletedAccounts} then erases
 * everything of it.
 *
 * @throws {ServiceError} `not_found`; `validation_error` for another name, and for the last owner who can sign in; `insufficient_scope` when
 *   `by` is no owner any more.
 */
export async function deleteAccount(
  { accounts, documents, clock }: { readonly accounts: AccountStore; readonly documents: DocumentStore; readonly clock: { now(): number } },
  { accountId, by, name }: AccountDeletion,
  options: Options,
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
  const note: Document = {
    kind: 'deleted-account',
    id: accountId,
    accountId: service,
    value: null,
    at: clock.now(),
    label: null,
    text: '',
    attachedBytes: 0,
    expiresAt: null,
  }
  const result = await documents.put(note, { ...options, most: Number.POSITIVE_INFINITY })
  if (result !== 'stored') throw new Error(`Noting a deleted account returned ${result}`)
}

/** Ids of the accounts that are being deleted. */
export async function listDeletedAccounts(
  { documents }: { readonly documents: DocumentStore },
  options: Options,
): Promise<ReadonlySet<string>> {
  return new Set((await listNotes(documents, options)).map(({ id }) => id))
}

export interface ErasingDependencies {
  readonly accounts: AccountStore
  readonly documents: DocumentStore
  readonly outputs: OutputStore
  readonly log: InferenceLog
  readonly clock: { now(): number }
}

/** Erases what is left of deleted accounts whose work has ended, files before rows; and once more for a while, what came in late. */
export async function eraseDeletedAccounts(deps: ErasingDependencies, options: Options): Promise<void> {
  for (const { id, at } of await listNotes(deps.documents, options)) {
    const age = deps.clock.now() - at
    const running = await deps.log.list({ accountId: id, status: 'running', limit: 1, after: null }, options)
    if (running.inferences.length > 0 && age < endingMs) continue
    const owners = [id, bodyOwner(id)]
    for (const accountId of owners) await deleteFiles(deps, accountId, options)
    await deleteOutputs(deps, id, options)
    await deps.accounts.erase(owners, options)
    if (age >= lateMs) await deps.documents.remove({ kind: 'deleted-account', id, accountId: service }, options)
  }
}

function listNotes(documents: DocumentStore, options: Options): Promise<readonly StoredDocument[]> {
  return documents.list({ kind: 'deleted-account', accountId: service, order: 'oldest', after: null, limit: readAtOnce }, options)
}

/** Files that lie beside documents. Those of assets are removed by the duty that looks for files without a record. */
async function deleteFiles({ documents, outputs }: ErasingDependencies, accountId: string, options: Options): Promise<void> {
  for (const kind of ['file', 'picture', 'thumbnail', 'request-body'] as const) {
    let after: { readonly at: number; readonly id: string } | null = null
    for (;;) {
      const page: readonly StoredDocument[] = await documents.list({ kind, accountId, order: 'oldest', after, limit: readAtOnce }, options)
      const files = kind === 'file' ? page.flatMap((document) => readFileDocument(document).parts.map(({ key }) => key)) : []
      await outputs.delete([...files, ...keptPictureFiles(page), ...thumbnailFiles(page), ...bodyFiles(page)], options)
      const last = page.at(-1)
      if (last === undefined || page.length < readAtOnce) break
      after = { at: last.at, id: last.id }
    }
  }
}

async function deleteOutputs({ log, outputs }: ErasingDependencies, accountId: string, options: Options): Promise<void> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<InferenceLog['list']>> = await log.list({ accountId, status: null, limit: readAtOnce, after }, options)
    await outputs.delete(
      page.inferences.flatMap(({ output }) => output?.key ?? []),
      options,
    )
    after = page.next
  } while (after !== null)
}
