import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type TlsOptions } from 'node:tls'

/** What a node proves itself by, each as PEM. */
export interface NodeCertificate {
  /** The certificates of the authorities that sign nodes of this cluster, and nobody else. */
  readonly authority: string
  /** The node's own certificate, and those between it and the authority. */
  readonly certificate: string
  readonly key: string
}

/** Certificates by which nodes know each other in both directions; a renewed one counts for every connection made from then on. */
export class NodeTls {
  #settings: TlsOptions
  #agent: Agent
  readonly #listeners = new Set<(settings: TlsOptions) => void>()

  /** @throws {Error} when these cannot be used. */
  constructor(certificate: NodeCertificate, now: number) {
    this.#settings = settingsOf(certificate, now)
    this.#agent = agentOf(this.#settings)
  }

  /** Takes others. @throws {Error} when they cannot be used; those from before then stay. */
  replace(certificate: NodeCertificate, now: number): void {
    this.#settings = settingsOf(certificate, now)
    // Leases on the earlier connections go on to their end.
    this.#agent = agentOf(this.#settings)
    for (const listener of this.#listeners) listener(this.#settings)
  }

  /** For asking other nodes. */
  get agent(): Agent {
    return this.#agent
  }

  /** For a server that answers nodes only. */
  get settings(): TlsOptions {
    return this.#settings
  }

  /** Calls back with each replacement, until disposed of. */
  onReplaced(listener: (settings: TlsOptions) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }
}

function settingsOf({ authority, certificate, key }: NodeCertificate, now: number): TlsOptions {
  const { validToDate } = new X509Certificate(certificate)
  if (validToDate.getTime() <= now) throw new Error(`The certificate of this node ended on ${validToDate.toISOString()}; renew it.`)
  const pem = { ca: authority, cert: certificate, key, minVersion: 'TLSv1.3' } as const
  createSecureContext(pem)
  return { ...pem, requestCert: true, rejectUnauthorized: true }
}

function agentOf({ ca, cert, key, minVersion }: TlsOptions): Agent {
  return new Agent({
    ca,
    cert,
    key,
    minVersion,
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    // Every connection shows both certificates, so that one that has ended or is not believed any more opens none.
    maxCachedSessions: 0,
    // Nodes are equal, and addresses of pods are not known when certificates are made: a holder of one of the authority's is a node.
    checkServerIdentity: () => undefined,
  })
}

/** Connections of one address, and in all, on which nobody has shown to be a node. */
const mostOfAddress = 128
const mostOfAll = 512

/**
 * Bounds the connections on which nothing has shown yet that a node is at the other end: with one too many the oldest is closed. A node proves itself within
 * milliseconds; a stranger who only holds connections loses them.
 */
export class UnprovenConnections {
  /** Oldest first. */
  readonly #all = new Map<string, Socket>()

  add(socket: Socket): void {
    const place = placeOf(socket)
    if (place === null) return
    socket.once('close', () => this.#all.delete(place))
    const { remoteAddress } = socket
    const own = [...this.#all.values()].filter((other) => other.remoteAddress === remoteAddress)
    if (own.length >= mostOfAddress) own[0]?.destroy()
    else if (this.#all.size >= mostOfAll) [...this.#all.values()][0]?.destroy()
    this.#all.set(place, socket)
  }

  /** Notes that a node is at the other end; `socket` may be the encrypted one on a connection. */
  prove(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const place = placeOf(socket)
    if (place !== null) this.#all.delete(place)
  }
}

function placeOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string | null {
  return remoteAddress === undefined || remotePort === undefined ? null : `${remoteAddress} ${remotePort}`
}
