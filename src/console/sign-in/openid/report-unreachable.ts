import type { SignInRefusal } from '../../../operations/access/sign-in-refusal.ts'
import type { OpenIdDependencies } from './openid-dependencies.ts'

/** Logs that the provider does not answer, at most once a minute, because anyone can trigger it without a session. */
export function reportUnreachable({ openId, onFault }: OpenIdDependencies, requestId: string, { cause }: SignInRefusal): void {
  if (openId.provider.isSilenceNews()) onFault({ requestId, error: `The organisation's provider does not answer: ${describe(cause)}` })
}

/** An error and its causes in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = ''] = error.message.split('\n')
  return error.cause === undefined ? line : `${line}: ${describe(error.cause)}`
}
