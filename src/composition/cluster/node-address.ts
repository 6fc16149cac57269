import { networkInterfaces } from 'node:os'
import type { ClusterNode } from '../../core/cluster/node.ts'

/** Where other nodes reach this one: as the settings say, or at the listening host, or at this machine's first address where it listens everywhere. */
export function nodeAddress(
  nodeUrl: string | null,
  { host, port, secure }: { readonly host: string; readonly port: number; readonly secure: boolean },
): string {
  if (nodeUrl !== null) return nodeUrl
  const everywhere = host === '0.0.0.0' || host === '::'
  const reached = everywhere ? (firstAddress() ?? '127.0.0.1') : host
  return `${secure ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The port that a node listens on for others; 0 = any free one. */
export function nodePort(nodeUrl: string | null): number {
  if (nodeUrl === null) return 0
  const { port, protocol } = new URL(nodeUrl)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** What a person reads when the port that `node-url` names is taken; any other error as it is. */
export function explainTakenPort(error: unknown, nodeUrl: string | null): unknown {
  const isTaken = nodeUrl !== null && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isTaken) return error
  return new Error(`Port ${nodePort(nodeUrl)} is in use; stop the other program, or choose another port in --node-url.`, { cause: error })
}

/** @throws {Error} when nodes of other machines would look for this one on themselves. */
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
