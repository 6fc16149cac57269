import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { UsageError } from '../../cli/failures.ts'
import { databaseUrl } from '../../config/storage-urls.ts'
import type { ClusterNode } from '../../core/cluster/node.ts'

/** The URL for other nodes: the configured one, the listening host, or this machine's first address if it listens on all. */
export function nodeAddress(
  nodeUrl: string | null,
  { host, port, secure }: { readonly host: string; readonly port: number; readonly secure: boolean },
): string {
  if (nodeUrl !== null) return nodeUrl
  const everywhere = host === '0.0.0.0' || host === '::'
  const reached = everywhere ? (firstAddress() ?? '127.0.0.1') : host
  return `${secure ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The port for other nodes; 0 = any free one. */
export function nodePort(nodeUrl: string | null): number {
  if (nodeUrl === null) return 0
  const { port, protocol } = new URL(nodeUrl)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** The error if the port of `node-url` is in use; other errors stay as they are. */
export function explainTakenPort(error: unknown, nodeUrl: string | null): unknown {
  const isTaken = nodeUrl !== null && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isTaken) return error
  return new Error(`Port ${nodePort(nodeUrl)} is in use; stop the other program, or choose another port in --node-url.`, { cause: error })
}

/** @throws {Error} if the URL is a loopback address while nodes on other machines exist. */
export function refuseUnreachable(url: string, self: { readonly id: string; readonly host: string }, nodes: readonly ClusterNode[]): void {
  const { hostname } = new URL(url)
  const elsewhere = nodes.find(({ id, host }) => id !== self.id && host !== self.host)
  if (elsewhere === undefined || !/^(localhost|127\..*|\[::1\])$/.test(hostname)) return
  throw new Error(
    `Nodes on other machines, such as ${elsewhere.host}, cannot reach this one at ${url}; set --node-url to an address that they can reach.`,
  )
}

function firstAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
}

/**
 * The URL of the database, from the setting or its file.
 *
 * @throws {UsageError} if the file cannot be read or has no URL; the message never includes its content.
 */
export async function readDatabaseUrl({ url, urlFile }: { readonly url: string | null; readonly urlFile: string | null }): Promise<string> {
  if (url !== null) return url
  const where = 'database-url-file'
  const text = await readSecretFile(urlFile ?? '', { where, least: 1 })
  const parsed = databaseUrl.parse(text, '')
  if ('value' in parsed) return parsed.value
  throw new UsageError([{ where, message: `${urlFile}: ${parsed.fault}` }])
}

/** Reads the single line of a secret's file. @throws {UsageError} if it cannot be read or has fewer than `least` characters. */
export async function readSecretFile(path: string, { where, least }: { readonly where: string; readonly least: number }): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError([{ where, message: `${path} cannot be read: ${error.message}` }])
  })
  const secret = text.trim()
  if (secret.length >= least) return secret
  throw new UsageError([{ where, message: `${path} holds ${secret.length} characters; write at least ${least}.` }])
}
