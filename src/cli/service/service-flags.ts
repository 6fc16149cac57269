import type { CommandFlag } from '../command.ts'

/** The flags of every command that talks to a running service. */
export const serviceFlags: readonly CommandFlag[] = [
  { name: 'url', form: '<origin>', help: 'The service to talk to, also SEPIA_URL; default the one of sepia login.' },
  { name: 'token', form: '<text>', help: 'An access token for it, also SEPIA_TOKEN, which other users of the machine cannot see.' },
]

/** What finds the service of this machine where nobody has signed in. */
export const serviceSettings: readonly string[] = ['data', 'host', 'port', 'database-url', 'database-url-file']
