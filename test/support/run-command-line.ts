import type { AccountDesk, CliBackend, Finding, NewToken } from '../../src/cli/cli-backend.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import type { AccessToken } from '../../src/core/access-token.ts'
import type { Account } from '../../src/core/account.ts'
import { noLimits, noUseLimits } from '../../src/core/limits/use-limits.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** The one account that there is when a test names no others. */
export const account: Account = { id: 'a1', name: 'First', email: null, role: 'owner', createdAt: 0, disabledAt: null, limits: noLimits }

/** A token of it that is valid for ever and was never used. */
export function tokenOf({ name, scopes }: Pick<NewToken, 'name' | 'scopes'>): AccessToken {
  const dates = { createdAt: 0, expiresAt: null, revokedAt: null, lastUsedAt: null }
  return { id: 't1', accountId: 'a1', name, hash: 'f00', hint: 'abcd', scopes, ...dates, limits: noUseLimits }
}

/** Runs one command line in an empty folder, against a backend that only notes what it was asked. */
export async function runCommandLine(
  argv: readonly string[],
  {
    environment = {},
    answer = null,
    findings = [],
    accountName = account.name,
    newDatabase,
    accounts = [{ ...account, name: accountName }],
    tokens = [tokenOf({ name: 'mine', scopes: ['read'] })],
    backend: instead = {},
    desk: deskInstead = {},
    interactive = false,
    color = false,
    input = null,
    program = 'sepia',
    answers = [],
  }: {
    environment?: Record<string, string>
    answer?: string | null
    findings?: readonly Finding[]
    accountName?: string
    /** The data folder that gets its database by the command. */
    newDatabase?: string
    accounts?: readonly Account[]
    tokens?: readonly AccessToken[]
    backend?: Partial<CliBackend>
    desk?: Partial<AccountDesk>
    interactive?: boolean
    color?: boolean
    /** The standard input; null = a terminal. */
    input?: string | null
    program?: 'sepia' | './sepia'
    /** Typed one after another before `answer`. */
    answers?: readonly string[]
  } = {},
): Promise<{ code: number; out: string; err: string; questions: readonly string[]; done: readonly string[] }> {
  await using folder = await createTemporaryFolder()
  const done: string[] = []
  const questions: string[] = []
  let out = ''
  let err = ''
  const desk: AccountDesk = {
    listAccounts: async () => accounts,
    createAccount: async (input) => {
      done.push(`account ${JSON.stringify(input)}`)
      return { ...account, ...input }
    },
    makeSignInLink: async (id) => `http://127.0.0.1:8080/console/join#code-of-${id}`,
    changeAccount: async (id, change) => void done.push(`changed ${id} ${JSON.stringify(change)}`),
    deleteAccount: async ({ id }) => void done.push(`deleted ${id}`),
    resetSecondFactor: async (id) => {
      done.push(`second factor of ${id}`)
      return accounts.some((each) => each.id === id && each.email !== null)
    },
    listTokens: async (id) => tokens.filter(({ accountId }) => accountId === id),
    createToken: async (input) => {
      done.push(`token ${JSON.stringify(input)}`)
      return { text: 'sepia_secret', token: tokenOf(input) }
    },
    limitToken: async ({ id }, limits) => void done.push(`limited ${id} ${JSON.stringify(limits)}`),
    revokeToken: async ({ id }) => void done.push(`revoked ${id}`),
    accountLog: async (accountId) => ({ on: { accountId, since: 0, keepMs: 86_400_000, until: null }, bodies: 2, bytes: 1500 }),
    switchLogOn: async (id, wish) => void done.push(`log on ${id} ${JSON.stringify(wish)}`),
    switchLogOff: async (id) => void done.push(`log off ${id}`),
    deleteBodies: async (id) => void done.push(`log deleted ${id}`),
    readBodies: async (_, request) =>
      request === 'known'
        ? [
            {
              part: 'request',
              path: '/v1/embeddings',
              at: 0,
              contentType: 'application/json',
              status: null,
              length: 9,
              bytes: Buffer.from('{"a":"\u001b"}'),
            },
            { part: 'answer', at: 0, unreadable: 'key' },
          ]
        : [],
    ...deskInstead,
    [Symbol.asyncDispose]: async () => void done.push('closed'),
  }
  const refuse = async (): Promise<never> => Promise.reject(new Error('The test does not offer this.'))
  const backend: CliBackend = {
    openFetch: () => fetch,
    serve: async ({ listen }) => void done.push(`served ${listen.port}`),
    findStartFaults: async ({ models }) => models.folders.map((where) => ({ where, message: 'is not there.' })),
    findRunningService: async () => null,
    openAccountDesk: async (_, { onCreate }) => {
      if (newDatabase !== undefined && onCreate === undefined) throw new Error('There is no new database for it.')
      if (newDatabase !== undefined) onCreate?.(newDatabase)
      return desk
    },
    listModels: async () => [],
    pullModel: refuse,
    planPull: refuse,
    searchModels: refuse,
    findForeignModels: refuse,
    registerForeignModels: refuse,
    findRemovableModel: refuse,
    removeModel: refuse,
    makeLogKey: async () => ({ id: 'k1', file: '/data/request-log.keys' }),
    backup: refuse,
    restore: refuse,
    migrate: refuse,
    listDevices: async () => [],
    doctor: async () => findings,
    ...instead,
  }
  const code = await runCli(argv, {
    terminal: {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      interactive,
      color,
      printsToPerson: interactive,
      readInput: async () => input,
      ask: async (question) => {
        questions.push(question)
        return answers[questions.length - 1] ?? answer
      },
    },
    environment: { HOME: folder.path, ...environment },
    machine: { cores: 2, memoryBytes: 1e9, terminal: false, folder: folder.path },
    loadBackend: async () => backend,
    program,
    version: '1.2.3',
    signal: new AbortController().signal,
  })
  return { code, out, err, questions, done }
}
