import { existsSync } from 'node:fs'
import type { AccountDesk } from '../cli/cli-backend.ts'
import { UsageError } from '../cli/failures.ts'
import { listeningOrigin, resolveAddresses } from '../config/addresses.ts'
import type { Config } from '../config/settings.ts'
import { joinLink } from '../console/sign-in/create-first-run-link.ts'
import type { AuditAction } from '../core/audit-entry.ts'
import { ServiceError } from '../core/error.ts'
import type { Abortable } from '../core/waiting.ts'
import { createAccessToken, limitAccessToken, listAccessTokens, revokeAccessToken } from '../operations/access/access-tokens.ts'
import { changeAccount, createAccount } from '../operations/access/accounts.ts'
import { deleteAccount } from '../operations/access/deleted-accounts.ts'
import { invite } from '../operations/access/invitations.ts'
import { removeSecondFactor } from '../operations/access/second-factor.ts'
import { findBodyLog, switchBodyLogOff, switchBodyLogOn } from '../operations/bodies/body-log.ts'
import { findBodies, removeBodies, sumBodies } from '../operations/bodies/kept-bodies.ts'
import { dataLayout } from './data-layout.ts'
import { ensureFirstAccount } from './first-start.ts'
import { openOutputs, openRequestLogKeys, openStore } from './open-store.ts'
import { findHalfCluster } from './start-faults.ts'
import { createSystemClock } from './system-clock.ts'

/**
 * Opens accounts and tokens, with or without a running service.
 *
 * @param options.onCreate Called with the data folder if its database is created; absent = a missing database is refused.
 * @throws {UsageError} for a data folder without a database, probably a typing error, and for a shared database without its bucket or vice
 * versa.
 */
export async function openAccountDesk(
  config: Config,
  { onCreate }: { readonly onCreate?: (dataFolder: string) => void },
): Promise<AccountDesk> {
  const { dataFolder } = config
  const half = findHalfCluster(config)
  if (half.length > 0) throw new UsageError(half)
  const isMissing = config.database.type === 'embedded' && !existsSync(dataLayout(dataFolder).databaseFile)
  if (isMissing && onCreate === undefined)
    throw new UsageError([
      {
        where: 'data',
        message: `there is no database in ${dataFolder}; name the data folder of the service with --data, or start the service once.`,
      },
    ])
  const store = await openStore(config, { clock: createSystemClock(), mode: 'tool' })
  if (isMissing) onCreate?.(dataFolder)
  const { clock, accounts, tokens, audit, documents } = store
  const deps = { accounts, tokens, clock }
  const record = (
    action: AuditAction,
    { subject, detail = null }: { readonly subject: string; readonly detail?: string | null },
    options: Abortable,
  ) => audit.append({ at: clock.now(), action, accountId: null, address: null, subject, detail }, options)
  return {
    listAccounts: (options) => accounts.list(options),
    createAccount: async (input, options) => {
      const account = await createAccount(deps, input, options)
      await record('account-created', { subject: account.id, detail: account.role }, options)
      return account
    },
    makeSignInLink: async (accountId, options) => {
      const role = (await accounts.find(accountId, options))?.role ?? 'member'
      const code = await invite(deps, { role, accountId, invitedBy: null }, options)
      await record('link-made', { subject: accountId }, options)
      return joinLink(resolveAddresses(config.addresses, listeningOrigin(config.listen.host, config.listen.port)).publicUrl, code)
    },
    changeAccount: async (accountId, change, options) => {
      if (await changeAccount(deps, { accountId, by: null, ...change }, options))
        await record('account-changed', { subject: accountId, detail: JSON.stringify(change) }, options)
    },
    deleteAccount: async ({ id, name }, options) => {
      await deleteAccount(store, { accountId: id, by: null, name }, options)
      await record('account-deleted', { subject: id }, options)
    },
    resetSecondFactor: async (accountId, options) => {
      const removed = await removeSecondFactor(store, accountId, options)
      if (removed) await record('second-factor-removed', { subject: accountId }, options)
      return removed
    },
    listTokens: (accountId, options) => listAccessTokens(deps, { accountId }, options),
    createToken: async ({ accountId, lifetimeMs, name, scopes }, options) => {
      const account = accountId === null ? (await ensureFirstAccount(deps, options)).account : await accounts.find(accountId, options)
      if (account === null) throw new ServiceError('not_found', `There is no account ${accountId}; sepia account list shows them.`)
      const expiresAt = lifetimeMs === null ? null : clock.now() + lifetimeMs
      const made = await createAccessToken(deps, { accountId: account.id, name, scopes, expiresAt }, options)
      await record('token-created', { subject: made.token.id, detail: `${made.token.scopes.join(' ')} of ${account.id}` }, options)
      return made
    },
    limitToken: async (target, limits, options) => {
      if (await limitAccessToken(deps, target, limits, options))
        await record('token-limited', { subject: target.id, detail: JSON.stringify(limits) }, options)
    },
    revokeToken: async (target, options) => {
      if (await revokeAccessToken(deps, target, options)) await record('token-revoked', { subject: target.id }, options)
    },
    accountLog: async (accountId, options) => {
      const { count: bodies, bytes } = await sumBodies(store, accountId, options)
      return { on: await findBodyLog(store, accountId, options), bodies, bytes }
    },
    switchLogOn: async (accountId, wish, options) => {
      const keys = await openRequestLogKeys(config)
      const { mostKeepMs } = config.accounts.requestLog
      const on = await switchBodyLogOn({ documents, clock, keys, mostKeepMs }, { accountId, ...wish }, options)
      if (on !== null) await record('request-log-on', { subject: accountId, detail: JSON.stringify(on) }, options)
    },
    switchLogOff: async (accountId, options) => {
      if (await switchBodyLogOff(store, accountId, options)) await record('request-log-off', { subject: accountId }, options)
    },
    deleteBodies: async (accountId, options) => {
      const removed = await removeBodies({ documents, outputs: await openOutputs(config, { ...store, ...options }) }, accountId, options)
      if (removed > 0) await record('request-log-deleted', { subject: accountId, detail: String(removed) }, options)
    },
    readBodies: async (accountId, requestId, options) => {
      const outputs = await openOutputs(config, { ...store, ...options })
      const bodies = await findBodies({ documents, outputs, keys: await openRequestLogKeys(config) }, { accountId, requestId }, options)
      if (bodies.length > 0) await record('request-log-read', { subject: accountId, detail: requestId }, options)
      return bodies
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
