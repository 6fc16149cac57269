import { groupRoles } from './group-roles.ts'
import { type Kind, setting, unset } from './setting.ts'
import { duration, file, names, oneOf, optional, text, toggle } from './setting-kinds.ts'

const group = 'Sign-in'
const none = { words: 'none', derive: (): readonly [] => [] }

/** An OpenID Connect issuer, exactly as the provider writes it: a slash at its end is part of the name. */
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

/** The settings of how people sign in to the console. */
export const signInSettings = {
  sessionLifetime: setting('session-lifetime', group, duration('5m', '90d'), '14d', 'A browser is signed out after this time.'),
  localSignIn: setting(
    'local-sign-in',
    group,
    toggle,
    'on',
    'Allow sign-in with a password or passkey; with `off`, only the provider of `oidc-issuer` works.',
  ),
  secondFactor: setting(
    'second-factor',
    group,
    oneOf('optional', 'owners', 'everybody'),
    'optional',
    'Who must use a one-time code with the password. People without one set it up at their next sign-in.',
  ),
  oidcIssuer: setting(
    'oidc-issuer',
    group,
    optional(issuerUrl),
    unset('none'),
    'OpenID Connect provider for sign-in. Register `<public-url>/console/sign-in/callback` there as the redirect address.',
  ),
  oidcClientId: setting('oidc-client-id', group, optional(text), unset('none'), 'Client id of this service at the provider.'),
  oidcClientSecretFile: setting(
    'oidc-client-secret-file',
    group,
    optional(file),
    unset('a public client'),
    'File with the secret of `oidc-client-id`.',
  ),
  oidcScopes: setting('oidc-scopes', group, text, 'openid email profile', 'Scopes to request from the provider; must include `openid`.'),
  oidcLabel: setting('oidc-label', group, text, 'your organisation', 'Name of the provider on the button “Continue with …”.'),
  oidcCreateAccounts: setting(
    'oidc-create-accounts',
    group,
    toggle,
    'off',
    'Create an account at the first sign-in with the provider; with `off`, people need an invitation or a linked account.',
  ),
  oidcEmailDomains: setting(
    'oidc-email-domains',
    group,
    names,
    none,
    'Only allow e-mail addresses of these domains, verified by the provider.',
  ),
  oidcGroupsClaim: setting('oidc-groups-claim', group, text, 'groups', 'Claim with the groups of a person.'),
  oidcRoles: setting(
    'oidc-roles',
    group,
    groupRoles,
    none,
    'Role of each group, applied at each sign-in: `sepia-owners=owner,*=member`. People in none are rejected. Without this setting, roles are set in the console.',
  ),
} as const
