import { type ConsoleService, startConsoleService } from '../console-service.ts'
import { CookieJar } from './cookie-jar.ts'
import type { AuthenticatorAnswer, SoftwareAuthenticator } from './software-authenticator.ts'

const publicUrl = 'https://sepia.example'
/** What authenticators sign for this console. */
export const site = { origin: publicUrl, rpID: 'sepia.example' }
/** The owner's password. */
export const password = 'a poet of science'

type Answer = Awaited<ReturnType<ConsoleService['send']>>

/** A console with its first owner, and a browser of theirs that registers and uses passkeys. */
export async function openPasskeyConsole() {
  const service = await startConsoleService({ publicUrl })
  const owner = new CookieJar()
  owner.take(await service.join(service.firstCode, 'ada@example.org'))
  const post = async (jar: CookieJar, path: string, body: object): Promise<Answer> => {
    const answer = await service.send('POST', `/console/api/${path}`, { body, cookie: jar.header() })
    jar.take(answer.headers['set-cookie'])
    return answer
  }
  const register = async (jar: CookieJar, key: SoftwareAuthenticator, more: Partial<AuthenticatorAnswer> = {}, name = 'blue stick') => {
    const requested = await post(jar, 'passkeys/options', { password })
    const { challenge } = requested.json().options
    return post(jar, 'passkeys', { name, credential: key.register({ ...site, challenge, ...more }) })
  }
  const challengeOf = async (jar: CookieJar): Promise<string> => (await post(jar, 'session/passkey/options', {})).json().options.challenge
  const signIn = async (key: SoftwareAuthenticator, more: Partial<AuthenticatorAnswer> = {}) => {
    const jar = new CookieJar()
    const challenge = await challengeOf(jar)
    return { jar, answer: await post(jar, 'session/passkey', key.prove({ ...site, challenge, counter: 1, ...more })) }
  }
  return { ...service, owner, post, register, challengeOf, signIn }
}
