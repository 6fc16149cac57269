import type { Role } from '../core/account.ts'
import { combined, type Kind, none, settingsOf, unset } from './setting.ts'
import { duration, file, names, oneOf, optional, text, toggle } from './setting-kinds.ts'

const setting = settingsOf('Sign-in')

/** An OpenID Connect issuer exactly as the provider writes it; a trailing slash is significant. */
export const issuerUrl: Kind<string> = {
  form: '<url>',
  parse: (raw) => {
    const address = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined
    const isPlain = address?.search === '' && address.hash === '' && address.username === '' && address.password === ''
    if (address === undefined || !isPlain)
      return { fault: 'expected the address of an issuer, such as https://login.example/realms/staff.' }
    const isNear = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname)
    if (address.protocol === 'https:' || (address.protocol === 'http:' && isNear)) return { value: address.href }
    return { fault: 'expected an address that starts with https://; plain http only leads to this machine.' }
  },
  print: (value) => value,
}

/** Role of a group's members; the group `*` is everybody. */
export type GroupRole = readonly [group: string, role: Role]

/** Groups with roles, separated by commas, or a list in the file. Group names may contain `=` but no comma. */
export const groupRoles: Kind<readonly GroupRole[]> = {
  form: '<group>=owner | member,…',
  parse: (raw) => {
    const texts: readonly unknown[] = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [raw]
    const pairs = texts.map(readPair)
    const known = pairs.filter((pair) => pair !== null)
    return known.length === pairs.length
      ? { value: known }
      : { fault: `expected groups with their roles, such as sepia-owners=owner,*=member, got ${JSON.stringify(raw)}.` }
  },
  print: (value) => value.map(([group, role]) => `${group}=${role}`).join(','),
}

function readPair(text: unknown): GroupRole | null {
  const match = typeof text === 'string' ? /^\s*(\S(?:.*\S)?)\s*=\s*(owner|member)\s*$/.exec(text) : null
  const [, group, role] = match ?? []
  return group !== undefined && (role === 'owner' || role === 'member') ? [group, role] : null
}

/** The settings of how people sign in to the console. */
export const signInSettings = {
  signIn: {
    sessionMs: setting('session-lifetime', duration('5m', '90d'), '14d', 'A browser is signed out after this time.'),
    local: setting(
      'local-sign-in',
      toggle,
      'on',
      'Allow sign-in with a password or passkey; with `off`, only the provider of `oidc-issuer` works.',
    ),
    secondFactor: setting(
      'second-factor',
      oneOf('optional', 'owners', 'everybody'),
      'optional',
      'Who must use a one-time code with the password. People without one set it up at their next sign-in.',
    ),
    openId: combined(
      {
        issuer: setting(
          'oidc-issuer',
          optional(issuerUrl),
          unset('none'),
          'OpenID Connect provider for sign-in. Register `<public-url>/console/sign-in/callback` there as the redirect address.',
        ),
        clientId: setting('oidc-client-id', optional(text), unset('none'), 'Client id of this service at the provider.'),
        clientSecretFile: setting(
          'oidc-client-secret-file',
          optional(file),
          unset('a public client'),
          'File with the secret of `oidc-client-id`.',
        ),
        scopes: setting('oidc-scopes', text, 'openid email profile', 'Scopes to request from the provider; must include `openid`.'),
        label: setting('oidc-label', text, 'your organisation', 'Name of the provider on the button “Continue with …”.'),
        createAccounts: setting(
          'oidc-create-accounts',
          toggle,
          'off',
          'Create an account at the first sign-in with the provider; with `off`, people need an invitation or a linked account.',
        ),
        emailDomains: setting('oidc-email-domains', names, none, 'Only allow e-mail addresses of these domains, verified by the provider.'),
        groupsClaim: setting('oidc-groups-claim', text, 'groups', 'Claim with the groups of a person.'),
        roles: setting(
          'oidc-roles',
          groupRoles,
          none,
          'Role of each group, applied at each sign-in: `sepia-owners=owner,*=member`. People in none are rejected. Without this setting, roles are set in the console.',
        ),
      },
      ({ issuer, ...others }) => (issuer === null ? null : { issuer, ...others }),
    ),
  },
} as const
