import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type TlsOptions } from 'node:tls'

/** Certificates and key of a node, each as PEM. */
export interface NodeCertificate {
  /** Certificates of the authorities that sign only nodes of this cluster. */
  readonly authority: string
  /** The node's certificate and intermediate ones. */
  readonly certificate: string
  readonly key: string
}

/** Mutual TLS between nodes; a renewed certificate applies to new connections. */
export class NodeTls {
  #settings: TlsOptions
  #agent: Agent
  readonly #listeners = new Set<(settings: TlsOptions) => void>()

  /** @throws {Error} if the certificate is unusable. */
  constructor(certificate: NodeCertificate, now: number) {
    this.#settings = settingsOf(certificate, now)
    this.#agent = agentOf(this.#settings)
  }

  /** Replaces the certificate. @throws {Error} if the new one is unusable; the old one then stays. */
  replace(certificate: NodeCertificate, now: number): void {
    this.#settings = settingsOf(certificate, now)
    // Leases on earlier connections continue.
    this.#agent = agentOf(this.#settings)
    for (const listener of this.#listeners) listener(this.#settings)
  }

  /** Agent for requests to other nodes. */
  get agent(): Agent {
    return this.#agent
  }

  /** Settings for a server that only accepts nodes. */
  get settings(): TlsOptions {
    return this.#settings
  }

  /** Registers a listener for replacements, until disposed of. */
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
    // Every connection verifies both certificates, so that expired or untrusted ones cannot connect.
    maxCachedSessions: 0,
    // All nodes have the same rights, and pod addresses are unknown when certificates are issued: any holder of a certificate by the
    // authority is a node.
    checkServerIdentity: () => undefined,
  })
}

/** Maximum number of unproven connections per address, and in total. */
const maxPerAddress = 128
const maxTotal = 512

/**
 * Limits connections that have not been proven to come from a node: beyond the limit the oldest is closed. Nodes prove themselves within
 * milliseconds, so idle strangers lose their connections.
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
    if (own.length >= maxPerAddress) own[0]?.destroy()
    else if (this.#all.size >= maxTotal) [...this.#all.values()][0]?.destroy()
    this.#all.set(place, socket)
  }

  /** Marks a connection as coming from a node; `socket` may be its TLS socket. */
  prove(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const place = placeOf(socket)
    if (place !== null) this.#all.delete(place)
  }
}

function placeOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string | null {
  return remoteAddress === undefined || remotePort === undefined ? null : `${remoteAddress} ${remotePort}`
}
