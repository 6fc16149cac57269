import { isReachableLocallyOnly } from '../config/addresses.ts'
import type { Config } from '../config/settings.ts'
import { createFirstRunLink } from '../console/sign-in/create-first-run-link.ts'
import { scopes } from '../core/access-token.ts'
import type { Account } from '../core/account.ts'
import type { AccountStore } from '../core/ports/account-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { ServiceAddresses } from '../core/service-addresses.ts'
import type { Abortable } from '../core/waiting.ts'
import { createAccessToken } from '../operations/access/access-tokens.ts'
import { makeAccount } from '../operations/access/accounts.ts'

interface Greeting {
  readonly print: (text: string) => void
  readonly addresses: () => ServiceAddresses
  readonly config: Config
  readonly url: string
}

/** Prints how to sign in: the first token, the link to the console, and whether other machines can use it. */
export async function greet(store: Store, { print, addresses, config, url }: Greeting, options: Abortable): Promise<void> {
  const { accounts, documents, clock, nodes } = store
  if (config.listen.openOnLoopback) print('Programs on this machine need no access token and act as the owner (open-on-loopback).\n')
  await greetFirstStart(store, { print, addresses }, options)
  const link = await createFirstRunLink({ accounts, documents, clock, addresses, shared: nodes !== undefined }, options)
  if (link !== null) print(`Open the console: ${link}\n`)
  if (isReachableLocallyOnly(config.addresses, config.listen.host))
    print(
      `Links use ${url}, which works only on this machine; for other machines, start with --public-url and the address that they use.\n`,
    )
}

/** On first start, creates the owner's account with one access token and prints the token, which is not shown again. */
async function greetFirstStart(
  store: Store,
  { print, addresses }: Pick<Greeting, 'print' | 'addresses'>,
  options: Abortable,
): Promise<void> {
  const { account, created } = await ensureFirstAccount(store, options)
  if (!created) return
  const { text } = await createAccessToken(store, { accountId: account.id, name: 'First token', scopes, expiresAt: null }, options)
  print(`
Your access token, shown only once:

  export TOKEN=${text}

Try it:

  curl ${addresses().textUrl}/v1/chat/completions -H "Authorization: Bearer ${text}" -H 'Content-Type: application/json' \\
    -d '{"model": "smollm2-135m-instruct", "messages": [{"role": "user", "content": "What is the capital of Japan?"}]}'

`)
}

/** The oldest owner's account; creates it if there is none, once even if several processes start together. */
export async function ensureFirstAccount(
  { accounts, clock }: Pick<Store, 'accounts' | 'clock'>,
  options: Abortable,
): Promise<{ readonly account: Account; readonly created: boolean }> {
  const known = await findOldestOwner(accounts, options)
  if (known !== undefined) return { account: known, created: false }
  const account = makeAccount({ clock }, { name: 'Owner', role: 'owner' })
  const created = await accounts.createFirstOwner(account, options)
  return { account: created ? account : ((await findOldestOwner(accounts, options)) ?? account), created }
}

async function findOldestOwner(accounts: AccountStore, options: Abortable): Promise<Account | undefined> {
  const owners = (await accounts.list(options)).filter(({ role }) => role === 'owner')
  return owners.toSorted((a, b) => a.createdAt - b.createdAt)[0]
}
