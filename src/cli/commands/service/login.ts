import type { Command } from '../../command.ts'
import { UsageError } from '../../failures.ts'
import { loginFile, removeLogin, writeLogin } from '../../service/login-file.ts'
import { parseServiceUrl, serviceFlags, serviceSettings, signInHere } from '../../service/open-service.ts'
import { createServiceClient } from '../../service/service-client.ts'
import { endOfInput } from '../../terminal.ts'

export const login: Command = {
  words: ['login'],
  summary: 'Store the address and token of a service for other commands.',
  argument: { name: '<url>', help: 'The address of the service. Default: this machine, for which a token is created.', optional: true },
  flags: serviceFlags.filter(({ name }) => name === 'token'),
  settings: serviceSettings,
  run: async (context) => {
    const { argument, flags, environment, backend, config, terminal, signal } = context
    if (argument === '') {
      const { url } = await signInHere(context)
      return { text: `Signed in to ${url}.`, json: { url } }
    }
    const url = parseServiceUrl(argument, '<url>')
    const token = flags.get('token') ?? (environment.SEPIA_TOKEN || (await askForToken()))
    await createServiceClient({ url, token }, { fetch: backend.openFetch(config) }).fetchJson('/v1/models', { signal })
    const file = loginFile(environment)
    await writeLogin(file, { url, token })
    return { text: `Signed in to ${url}; the token is stored in ${file}.`, json: { url, file } }

    async function askForToken(): Promise<string> {
      const answer = (await terminal.ask('Access token: ', { signal, secret: true })) ?? (await terminal.readInput())
      const text = answer?.trim() ?? ''
      if (text !== '' && text !== endOfInput) return text
      throw new UsageError([
        { where: '--token', message: 'is missing; create one in the console, or with sepia token create on its machine.' },
      ])
    }
  },
}

export const logout: Command = {
  words: ['logout'],
  summary: 'Delete the stored login; the token stays valid.',
  flags: [],
  settings: [],
  run: async ({ environment }) => {
    const file = loginFile(environment)
    const forgot = await removeLogin(file)
    return { text: forgot ? `Deleted the login in ${file}.` : `There is no login in ${file}.`, json: { file, forgot } }
  },
}
