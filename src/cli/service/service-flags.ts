import type { CommandFlag } from '../command.ts'

/** The flags of every command that talks to a running service. */
export const serviceFlags: readonly CommandFlag[] = [
  { name: 'url', form: '<origin>', help: 'The address of the service, also SEPIA_URL. Default: that of sepia login.' },
  { name: 'token', form: '<text>', help: 'An access token, also SEPIA_TOKEN, which hides it from other users of the machine.' },
]

/** What finds the service of this machine where nobody has signed in. */
export const serviceSettings: readonly string[] = ['data', 'host', 'port', 'database-url', 'database-url-file']
