import type { ConfigFault } from '../../config/load-config.ts'
import type { Config, OpenIdConfig } from '../../config/settings.ts'
import type { SignInSettings } from '../../console/console-dependencies.ts'
import type { OpenIdSettings } from '../../console/sign-in/openid/openid-settings.ts'
import { readSecretFile } from '../cluster/node-address.ts'
import type { WaysOut } from '../ways-out.ts'

/** Sign-in settings that require others. */
export function findSignInFaults({ signIn: { local, openId } }: Pick<Config, 'signIn'>): readonly ConfigFault[] {
  const found: readonly (readonly [boolean, string, string])[] = [
    [
      !local && openId === null,
      'oidc-issuer',
      'With local-sign-in off, people need a sign-in provider; set oidc-issuer, or turn local-sign-in on.',
    ],
    [openId !== null && openId.clientId === null, 'oidc-client-id', 'The provider needs a client id; set oidc-client-id with oidc-issuer.'],
    [
      openId !== null && !openId.scopes.split(' ').includes('openid'),
      'oidc-scopes',
      'The scope openid is missing, which identifies people; add it to oidc-scopes.',
    ],
  ]
  return found.flatMap(([isFault, where, message]) => (isFault ? [{ where, message }] : []))
}

/**
 * Sign-in to the console, with the client secret of the provider.
 *
 * @throws {UsageError} if the secret's file cannot be read or is empty.
 */
export async function openSignIn(
  { signIn: { openId, ...others } }: Pick<Config, 'signIn'>,
  { fetch }: Pick<WaysOut, 'fetch'>,
): Promise<SignInSettings> {
  return { ...others, openId: openId && { ...(await readProvider(openId)), fetch } }
}

async function readProvider({
  issuer,
  clientId,
  clientSecretFile,
  scopes,
  label,
  groupsClaim,
  ...rules
}: OpenIdConfig): Promise<Omit<OpenIdSettings, 'fetch'>> {
  const where = 'oidc-client-secret-file'
  const clientSecret = clientSecretFile === null ? null : await readSecretFile(clientSecretFile, { where, least: 1 })
  return { issuer, clientId: clientId ?? '', clientSecret, scopes, label, groupsClaim, rules }
}
