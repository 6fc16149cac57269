/** A proxy that connections to the outside go through. */
export interface ForwardProxy {
  /** `http://` or `https://`, with the name and password that it wants: not to be shown. */
  readonly url: string
  /** Its host and port, to be shown. */
  readonly name: string
}

/** Which connections go through which proxy. */
export interface ForwardProxies {
  /** For addresses that begin with http://; null = they are reached directly. */
  readonly http: ForwardProxy | null
  /** The same for https://. */
  readonly https: ForwardProxy | null
  /** Hosts that are reached directly all the same, as `NO_PROXY` writes them, in lower case. */
  readonly exceptions: readonly string[]
}
