import { scopes } from '../core/access-token.ts'
import type { AccessTokenStore } from '../core/ports/access-token-store.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import { createAccessToken } from '../operations/access/create-access-token.ts'
import { ensureFirstAccount } from './ensure-first-account.ts'

export interface FirstStartDependencies {
  readonly accounts: AccountStore
  readonly tokens: AccessTokenStore
  readonly clock: Clock
  readonly print: (text: string) => void
}

/** On the first start, makes the owner's account with one access token and prints that token, the only time it is seen. */
export async function greetFirstStart(
  deps: FirstStartDependencies,
  textUrl: string,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const { account, created } = await ensureFirstAccount(deps, options)
  if (!created) return
  const { text } = await createAccessToken(deps, { accountId: account.id, name: 'First token', scopes, expiresAt: null }, options)
  deps.print(`
Your access token, shown only once:

  export TOKEN=${text}

Try it:

  curl ${textUrl}/v1/chat/completions -H "Authorization: Bearer ${text}" -H 'Content-Type: application/json' \\
    -d '{"model": "smollm2-135m-instruct", "messages": [{"role": "user", "content": "What is the capital of Japan?"}]}'

`)
}
