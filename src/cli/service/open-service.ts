import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listeningOrigin } from '../../config/addresses.ts'
import type { Command, CommandContext, CommandFlag, CommandResult } from '../command.ts'
import { UsageError } from '../failures.ts'
import { type Login, loginFile, readLogin, writeLogin } from './login-file.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'

/** Inputs that determine the service. */
type Surroundings = Pick<CommandContext, 'flags' | 'environment' | 'config' | 'report' | 'backend' | 'terminal' | 'program' | 'signal'>

/**
 * Opens the service for a command: the one in the flags (a URL, or local settings such as `--data`), in the environment, of the last `sepia
 * login`, or else the local one, for which a token is created and stored.
 *
 * @throws {UsageError} if a URL is given without a token for it.
 */
export async function openService(context: Surroundings): Promise<ServiceClient> {
  return createServiceClient(await findLogin(context), { fetch: context.backend.openFetch(context.config) })
}

/** @throws {UsageError} naming the flag if the text is not a service URL. */
export function parseServiceUrl(text: string, where: string): string {
  const url = URL.parse(text)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === ''
  if (isOrigin && url.username === '' && url.password === '') return url.origin
  throw new UsageError([{ where, message: `expected an origin such as https://sepia.example, got ${JSON.stringify(text)}.` }])
}

/**
 * Creates a token of the first account in the local data folder and stores it.
 *
 * @param file Path for storing it; by default the login file.
 */
export async function signInHere(
  { environment, config, backend, terminal, program, signal }: Surroundings,
  file = loginFile(environment),
): Promise<Login> {
  const url = listeningOrigin(config.listen.host, config.listen.port)
  await createServiceClient({ url, token: '' }, { fetch: backend.openFetch(config) }).fetchJson('/healthz', { signal })
  await using desk = await backend.openAccountDesk(config, { signal })
  const { text, token } = await desk.createToken(
    { accountId: null, name: 'command line', scopes: ['text', 'image', 'read'], lifetimeMs: null },
    { signal },
  )
  const login = { url, token: text }
  await writeLogin(file, login).catch(async (error: unknown) => {
    await desk.revokeToken(token, { signal })
    throw error
  })
  terminal.err(
    `Created a token for ${url} and stored it in ${file}${file === loginFile(environment) ? `; ${program} logout deletes it` : ''}.\n`,
  )
  return login
}

async function findLogin(context: Surroundings): Promise<Login> {
  const { flags, environment } = context
  const [url, where] = flags.has('url') ? [flags.get('url'), '--url'] : [environment.SEPIA_URL || undefined, 'SEPIA_URL']
  const token = flags.get('token') ?? (environment.SEPIA_TOKEN || undefined)
  const origin = url === undefined ? null : parseServiceUrl(url, where)
  if (origin !== null && token !== undefined) return { url: origin, token }
  if (origin === null && token === undefined && namesLocalService(context)) return signInNamed(context)
  const kept = await readLogin(loginFile(environment))
  // A token is only sent to the URL it was stored for.
  if (kept !== null && (origin === null || kept.url === origin)) return { ...kept, ...(token !== undefined && { token }) }
  if (origin !== null)
    throw new UsageError([{ where, message: `there is no token for ${origin}; add --token or SEPIA_TOKEN, or run sepia login ${origin}.` }])
  if (token !== undefined) return { url: listeningOrigin(context.config.listen.host, context.config.listen.port), token }
  return signInHere(context)
}

/** Whether the command line selects a local service by its settings. */
function namesLocalService({ report }: Surroundings): boolean {
  return report.some(({ name, source }) => serviceSettings.includes(name) && source === `--${name}`)
}

/**
 * A separate login inside the data folder; that of `sepia login` is for another service.
 *
 * @throws {UsageError} if the command line names a data folder that does not exist.
 */
async function signInNamed(context: Surroundings): Promise<Login> {
  const { config, backend, report, signal } = context
  if (report.some(({ name, source }) => name === 'data' && source === '--data') && !existsSync(config.dataFolder))
    throw new UsageError([{ where: '--data', message: `the folder ${config.dataFolder} does not exist; name that of the service.` }])
  const file = join(config.dataFolder, 'command-line.json')
  const url = listeningOrigin(config.listen.host, config.listen.port)
  const kept = await readLogin(file)
  if (kept?.url !== url) return signInHere(context, file)
  const isValid = await createServiceClient(kept, { fetch: backend.openFetch(config) })
    .fetchJson('/v1/models', { signal })
    .then(
      () => true,
      () => false,
    )
  return isValid ? kept : signInHere(context, file)
}

/** Flags of commands that call a running service. */
export const serviceFlags: readonly CommandFlag[] = [
  {
    name: 'url',
    form: '<origin>',
    help: 'The address of the service; also SEPIA_URL. Default: the address stored by sepia login, or this machine.',
  },
  { name: 'token', form: '<text>', help: 'An access token. Use SEPIA_TOKEN instead to hide it from other users of the machine.' },
]

/** A command that opens a running service before anything else. */
export function serviceCommand({
  flags = [],
  run,
  ...described
}: Pick<Command, 'words' | 'summary' | 'argument'> & {
  readonly flags?: Command['flags']
  readonly run: (service: ServiceClient, context: CommandContext) => Promise<CommandResult>
}): Command {
  return {
    ...described,
    flags: [...flags, ...serviceFlags],
    settings: serviceSettings,
    run: async (context) => run(await openService(context), context),
  }
}

/** Settings that locate the local service without a login. */
export const serviceSettings: readonly string[] = ['data', 'host', 'port', 'database-url', 'database-url-file']
