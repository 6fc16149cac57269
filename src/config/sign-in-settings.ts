import { groupRoles } from './group-roles.ts'
import { issuerUrl } from './issuer-url.ts'
import { setting, unset } from './setting.ts'
import { duration, file, names, oneOf, optional, text, toggle } from './setting-kinds.ts'

const group = 'Sign-in'
const none = { words: 'none', derive: (): readonly [] => [] }

/** The settings of how people sign in to the console. */
export const signInSettings = {
  sessionLifetime: setting(
    'session-lifetime',
    group,
    duration('5m', '90d'),
    '14d',
    'A browser is signed out this long after it signed in.',
  ),
  localSignIn: setting(
    'local-sign-in',
    group,
    toggle,
    'on',
    'Let people sign in with a password or passkey of their own too; `off` leaves the provider of `oidc-issuer` alone.',
  ),
  secondFactor: setting(
    'second-factor',
    group,
    oneOf('optional', 'owners', 'everybody'),
    'optional',
    'Who has to show a one-time code beside a password; whoever has none yet sets one up with the next sign-in.',
  ),
  oidcIssuer: setting(
    'oidc-issuer',
    group,
    optional(issuerUrl),
    unset('none'),
    'OpenID Connect provider that people may sign in with; register `<public-url>/console/sign-in/callback` there as redirect address.',
  ),
  oidcClientId: setting('oidc-client-id', group, optional(text), unset('none'), 'How the provider of `oidc-issuer` knows this service.'),
  oidcClientSecretFile: setting(
    'oidc-client-secret-file',
    group,
    optional(file),
    unset('a public client'),
    'File that holds the secret which belongs to `oidc-client-id`.',
  ),
  oidcScopes: setting('oidc-scopes', group, text, 'openid email profile', 'Scopes to ask the provider for; `openid` must be among them.'),
  oidcLabel: setting('oidc-label', group, text, 'your organisation', 'What the button says behind “Continue with”.'),
  oidcCreateAccounts: setting(
    'oidc-create-accounts',
    group,
    toggle,
    'off',
    'Make an account for whoever signs in with the provider for the first time; `off` asks for an invitation, or for an account that was linked.',
  ),
  oidcEmailDomains: setting(
    'oidc-email-domains',
    group,
    names,
    none,
    'Let in only whose e-mail the provider has verified to be of one of these domains.',
  ),
  oidcGroupsClaim: setting('oidc-groups-claim', group, text, 'groups', 'Claim that lists the groups of a person.'),
  oidcRoles: setting(
    'oidc-roles',
    group,
    groupRoles,
    none,
    'Which group has which role, at each sign-in anew: `sepia-owners=owner,*=member`. Who is in none is refused; without any, roles are given in the console.',
  ),
} as const
