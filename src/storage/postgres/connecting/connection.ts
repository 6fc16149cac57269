import { Client, type ClientConfig } from 'pg'
import { explainRefusal } from './explain-refusal.ts'

const connectLimitMs = 5000

/**
 * How a connection to an address is asked for: with these settings beside those that the address names itself, of which ours count. Certificates
 * are verified wherever TLS is asked for, unless by `no-verify`.
 *
 * @param url As `database-url` has it.
 * @param settings As in `-c name=value`.
 */
export function connectionTo(url: string, settings: string): Pick<ClientConfig, 'connectionString' | 'options'> {
  const address = new URL(url)
  const named = address.searchParams.get('options')
  address.searchParams.delete('options')
  // What the driver takes these for, and warns of.
  if (/^(prefer|require|verify-ca)$/.test(address.searchParams.get('sslmode') ?? '') && !address.searchParams.has('uselibpqcompat'))
    address.searchParams.set('sslmode', 'verify-full')
  return { connectionString: address.href, options: named === null ? settings : `${named} ${settings}` }
}

/**
 * Opens a connection for a while, outside of the pool.
 *
 * @throws {Error} that says what to change when the server cannot be reached or refuses.
 */
export async function connect(url: string, { settings, ...rest }: { readonly settings: string } & ClientConfig): Promise<Client> {
  const made: Client[] = []
  try {
    const client = new Client({ ...connectionTo(url, settings), connectionTimeoutMillis: connectLimitMs, ...rest })
    made.push(client)
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    await made[0]?.end().catch(() => {})
    throw explainRefusal(error, url)
  }
}
