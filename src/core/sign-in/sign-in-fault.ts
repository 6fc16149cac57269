/** Why a sign-in at the organisation's provider led nowhere, by its stable name, and what the sign-in page says then. */
export const signInFaults = {
  expired: 'This sign-in took too long or was begun in another browser. Begin again.',
  cancelled: 'The sign-in was cancelled. Begin again when you are ready.',
  unreachable: 'Your organisation’s sign-in does not answer. Try again in a minute, or sign in with a password.',
  refused: 'Your organisation’s sign-in was not accepted. Begin again; if it happens twice, ask an owner to look at the log.',
  email: 'This service is only for people of certain organisations, and your e-mail is of none of them or not verified.',
  group: 'You are in no group that may use this service. Ask an owner which one it takes.',
  unknown: 'You have no account here yet. Ask an owner for an invitation.',
  taken:
    'An account with your e-mail exists already. Sign in to it with its password, then link your organisation’s sign-in under Account.',
  invitation: 'This invitation was used already or has ended. Ask for a new one.',
  linked: 'This sign-in of your organisation belongs to another account here.',
  busy: 'Too many sign-ins from here failed. Wait a few minutes, then begin again.',
  locked: 'This account is locked. Ask an owner of the service.',
} as const

export type SignInFault = keyof typeof signInFaults
