/** Reasons for a failed single sign-on, by stable name, with the messages of the sign-in page. */
export const signInFaults = {
  expired: 'This sign-in took too long or began in another browser. Start again.',
  cancelled: 'The sign-in was cancelled. Start again when you are ready.',
  unreachable: 'Your organisation’s sign-in does not answer. Try again in a minute, or sign in with a password.',
  refused: 'Your organisation’s sign-in was not accepted. Start again; if it happens twice, ask an owner to check the log.',
  email: 'This service is only for certain organisations. Your e-mail address belongs to none of them or is not verified.',
  group: 'None of your groups may use this service. Ask an owner which group you need.',
  unknown: 'You have no account here yet. Ask an owner for an invitation.',
  taken:
    'An account with your e-mail address already exists. Sign in with its password, then link your organisation’s sign-in under Account.',
  invitation: 'This invitation was already used or has expired. Ask for a new one.',
  linked: 'Your organisation’s sign-in is already linked to another account here.',
  busy: 'Too many sign-ins from here have failed. Wait a few minutes, then start again.',
  locked: 'This account is locked. Ask an owner of the service.',
} as const

export type SignInFault = keyof typeof signInFaults
