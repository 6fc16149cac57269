import type { Account } from '../../core/account.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { AccountDesk } from '../cli-backend.ts'
import { allowNewDatabase, type Command, confirm, yesFlag } from '../command.ts'
import { UsageError } from '../failures.ts'
import { limitCommand, limitFields, limitFlags } from '../limits.ts'
import { isoTime, printableLine, textTable } from '../printed-text.ts'

export const createAccount: Command = {
  words: ['account', 'create'],
  summary: 'Create an account for access tokens; invite people in the console.',
  flags: [
    { name: 'name', form: '<text>', help: 'The name of the account.', required: true },
    { name: 'role', form: 'member | owner', help: 'Owners see every account. Default: member.' },
  ],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { backend, config, flags, signal } = context
    const role = flags.get('role') ?? 'member'
    if (role !== 'member' && role !== 'owner')
      throw new UsageError([{ where: '--role', message: `expected member or owner, got ${JSON.stringify(role)}.` }])
    await using desk = await backend.openAccountDesk(config, { signal, ...allowNewDatabase(context) })
    const account = await desk.createAccount({ name: flags.get('name') ?? '', role }, { signal })
    return {
      text: `Created the account ${account.id}.\nIts first token: ${context.program} token create --account ${account.id} --name first`,
      json: { id: account.id, name: account.name, role: account.role },
    }
  },
}

export const listAccounts: Command = {
  words: ['account', 'list'],
  summary: 'List the accounts.',
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ backend, config, signal }) => {
    await using desk = await backend.openAccountDesk(config, { signal })
    const accounts = await desk.listAccounts({ signal })
    const rows = accounts.map(({ id, name, email, role, createdAt, disabledAt }) => [
      id,
      name,
      email ?? '',
      role,
      isoTime(createdAt),
      disabledAt === null ? 'enabled' : `disabled ${isoTime(disabledAt)}`,
    ])
    return {
      text: textTable(['ID', 'NAME', 'E-MAIL', 'ROLE', 'CREATED', 'STATE'], rows) || 'There are no accounts; the first start creates one.',
      json: {
        accounts: accounts.map(({ id, name, email, role, createdAt, disabledAt, limits }) => ({
          id,
          name,
          email,
          role,
          created_at: isoTime(createdAt),
          disabled_at: isoTime(disabledAt),
          ...limitFields(limits),
        })),
      },
    }
  },
}

const argument = { name: '<id>', help: 'The id that sepia account list shows.' }

export const disableAccount: Command = {
  words: ['account', 'disable'],
  summary: 'Reject all requests of an account until it is enabled again.',
  argument,
  flags: [yesFlag],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await confirm(context, { warning: `Every token and session of the account "${account.name}" will be refused.`, unattended: 'refuse' })
    await desk.changeAccount(account.id, { disabled: true }, context)
    return { text: `Disabled "${printableLine(account.name)}".`, json: { disabled: account.id } }
  },
}

export const enableAccount: Command = {
  words: ['account', 'enable'],
  summary: 'Enable a disabled account again.',
  argument,
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    await desk.changeAccount(account.id, { disabled: false }, context)
    return { text: `Enabled "${printableLine(account.name)}".`, json: { enabled: account.id } }
  },
}

export const deleteAccount: Command = {
  words: ['account', 'delete'],
  summary: 'Delete an account and all its data.',
  argument,
  flags: [{ name: 'confirm', form: '<name>', help: 'The name of the account; deletes it without asking.' }],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    const name = printableLine(account.name)
    const warning = `Conversations, files, images, results, tokens and usage of the account "${name}" will be deleted for good.`
    const typed = context.flags.get('confirm') ?? (await context.terminal.ask(`${warning} Type its name to continue: `, context))
    if (typed === null) throw new UsageError([{ where: '--confirm', message: `${warning} Add --confirm with its name.` }])
    if (typed.trim() !== account.name)
      throw new UsageError([{ where: 'Stopped', message: 'the name does not match; nothing was changed.' }])
    await desk.deleteAccount(account, context)
    return {
      text: `Deleted "${name}". The service erases all its data within a minute, or after its next start.`,
      json: { deleted: account.id },
    }
  },
}

/** Sets limits of an account, or shows them without flags. */
export const limitAccount: Command = limitCommand({
  words: ['account', 'limit'],
  summary: "Set or lift an account's limits; without flags, show them.",
  argument: { name: '<id>', help: 'The id that sepia account list shows.' },
  flags: limitFlags,
  find: findAccount,
  change: async (desk, { id }, limits, options) => {
    await desk.changeAccount(id, { limits }, options)
  },
})

/** Restores access for an owner with a forgotten password. */
export const linkAccount: Command = {
  words: ['account', 'link'],
  summary: 'Print a one-time link to set a new e-mail address and password.',
  argument: { name: '<id>', help: 'The id that sepia account list shows.' },
  flags: [],
  settings: ['data', 'database-url', 'database-url-file', 'host', 'port', 'public-url'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    const link = await desk.makeSignInLink(account.id, context)
    return { text: `Open this link within three days to sign in as "${printableLine(account.name)}":\n\n  ${link}`, json: { link } }
  },
}

/** Restores access for users who lost their authenticator app and recovery codes. */
export const resetSecondFactor: Command = {
  words: ['account', 'second-factor', 'reset'],
  summary: 'Remove the second factor of an account, so that the password is enough again.',
  argument: { name: '<id>', help: 'The id that sepia account list shows.' },
  flags: [],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    await using desk = await context.backend.openAccountDesk(context.config, context)
    const account = await findAccount(desk, context.argument, context)
    if (!(await desk.resetSecondFactor(account.id, context)))
      throw new UsageError([{ where: account.id, message: 'this account has no second factor.' }])
    return { text: `Removed the second factor of "${printableLine(account.name)}".`, json: { reset: account.id } }
  },
}

/** @throws {UsageError} if there is no account with this id, naming the command that lists them. */
export async function findAccount(desk: Pick<AccountDesk, 'listAccounts'>, id: string, options: Abortable): Promise<Account> {
  const account = (await desk.listAccounts(options)).find((candidate) => candidate.id === id)
  if (account === undefined) throw new UsageError([{ where: id, message: 'there is no account with this id; see sepia account list.' }])
  return account
}
